/**
 * The operator's settings that the app needs. The server writes them into the page.
 * - No setting here is secret.
 */
export type AppSettings = {
  readonly brandName: string
  /** Null hides the Google button. */
  readonly googleClientId: string | null
  /** The address of Google's script. Only tests set another one. */
  readonly googleScriptUrl: string
  /** Shown at registration. */
  readonly minAgeYears: number
  readonly topupMinRupees: number
  readonly topupMaxRupees: number
  /** The operator's switches. Where one is off, the wallet shows a notice in place of the form. */
  readonly topupsOn: boolean
  readonly withdrawalsOn: boolean
  /** True in production, where `/kitchen-sink` does not exist. */
  readonly production: boolean
  /** The name of the issuer on receipts. */
  readonly issuer: string
  readonly officeAddress: string
  readonly supportEmail: string
  /** Present where the server records traces: calls then carry a `traceparent`. */
  readonly isTraced?: true
}

export const settings = JSON.parse(document.querySelector<HTMLMetaElement>('meta[name="app-settings"]')?.content ?? '{}') as AppSettings
