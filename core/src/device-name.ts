/** Names of browser and system from a user agent. The names are their makers' own, in every language. */
type DeviceName = { readonly browser: string | null; readonly system: string | null }

/** The first match counts, because most browsers also name the browsers that they descend from. */
const BROWSERS: readonly (readonly [name: string, sign: RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\b(?:OPR|OPX|OPiOS|Opera Mini|Opera)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['UC Browser', /\bUC ?Browser\//],
  ['Mi Browser', /\bMiuiBrowser\//],
  ['Vivaldi', /\bVivaldi\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:(?:Headless)?Chrome|CriOS|Chromium)\//],
  ['Safari', /\bVersion\/[\d.]+ .*\bSafari\//],
]
const SYSTEMS: readonly (readonly [name: string, sign: RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['KaiOS', /\bKAIOS\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['Mac', /\bMac OS X\b|\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
]

/** Real ones are shorter; a stranger's header has up to 16 KB. */
const LENGTH_MAX = 512

const firstOf = (known: typeof BROWSERS, userAgent: string): string | null =>
  known.find(([, sign]) => sign.test(userAgent.slice(0, LENGTH_MAX)))?.[0] ?? null

export const deviceNameOf = (userAgent: string): DeviceName => ({
  browser: firstOf(BROWSERS, userAgent),
  system: firstOf(SYSTEMS, userAgent),
})
