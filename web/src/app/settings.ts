/**
 * What the operator set and the app must know, written into the page by the server. Nothing secret
 * ever stands here.
 */
export type AppSettings = {
  readonly brandName: string
  /** Without it no Google button is shown. */
  readonly googleClientId: string | null
  /** Where Google's script comes from; another address only in tests. */
  readonly googleScriptUrl: string
  /** Named at registration. */
  readonly minAgeYears: number
  readonly topupMinRupees: number
  readonly topupMaxRupees: number
  /** The operator's switches: off, the wallet says so where the form would stand. */
  readonly topupsOn: boolean
  readonly withdrawalsOn: boolean
  /** The page of the whole kit stands outside production only. */
  readonly production: boolean
  /** Draws use random numbers of our own, which are labelled as a demo. */
  readonly drawsLocally: boolean
  /** Who stands on a receipt. */
  readonly issuer: string
  readonly officeAddress: string
  readonly supportEmail: string
}

export const settings = JSON.parse(document.querySelector<HTMLMetaElement>('meta[name="app-settings"]')?.content ?? '{}') as AppSettings
