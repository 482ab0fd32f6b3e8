/**
 * The operator's settings that the app needs. The server writes them into the page.
 * - No setting here is secret.
 */
import { hasDraw, type Modes } from '@roz/core/modes.ts'

type AppSettings = {
  readonly brandName: string
  /** Null hides the Google button. */
  readonly googleClientId: string | null
  /** The address of Google's script. Only tests set another one. */
  readonly googleScriptUrl: string
  /** Shown at registration. */
  readonly minAgeYears: number
  readonly topupMinRupees: number
  readonly topupMaxRupees: number
  readonly modes: Modes
  /** True in production, where `/kitchen-sink` does not exist. */
  readonly production: boolean
  /** The name of the issuer on receipts. */
  readonly issuer: string
  readonly officeAddress: string
  readonly supportEmail: string
  /** Present where AutoPay is offered, or a member has one from before. */
  readonly hasAutopay?: true
  /** Present where money is added by bank transfers, or was before. */
  readonly hasTransfers?: true
  /** Present where the server records traces: calls then carry a `traceparent`. */
  readonly isTraced?: true
}

export const settings = JSON.parse(document.querySelector<HTMLMetaElement>('meta[name="app-settings"]')?.content ?? '{}') as AppSettings

/** Whether rounds have a draw. A past round is shown as it was. */
export const withDraws = (): boolean => hasDraw(settings.modes)
