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

const DEFAULTS: AppSettings = {
  brandName: 'Roz',
  googleClientId: null,
  googleScriptUrl: 'https://accounts.google.com/gsi/client',
  minAgeYears: 13,
  topupMinRupees: 10,
  topupMaxRupees: 30,
  topupsOn: true,
  withdrawalsOn: true,
  production: false,
  drawsLocally: true,
  issuer: 'Roz',
  officeAddress: '',
  supportEmail: '',
}

function readSettings(): AppSettings {
  const content = document.querySelector<HTMLMetaElement>('meta[name="app-settings"]')?.content ?? ''
  return content.startsWith('{') ? { ...DEFAULTS, ...(JSON.parse(content) as Partial<AppSettings>) } : DEFAULTS
}

export const settings = readSettings()
