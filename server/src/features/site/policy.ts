/**
 * Security headers of everything the site serves. Invariants: no inline script or style runs unless
 * its hash is in the build's manifest; nobody frames us; the gateway and Google reach only the members' app.
 */
export type GatewayOrigins = {
  /** Where the gateway's script for the browser comes from. */
  readonly scripts: readonly string[]
  /** Where its checkout page lies: forms go there, frames show it. */
  readonly pages: readonly string[]
}
export type InlineHashes = { readonly scripts: readonly string[]; readonly styles: readonly string[] }

const GOOGLE = 'https://accounts.google.com'
const PLAYER = 'https://www.youtube-nocookie.com'
const quoted = (hashes: readonly string[]): string[] => hashes.map((hash) => `'${hash}'`)

function policy(directives: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(directives)
    .map(([name, sources]) => [name, ...new Set(sources)].join(' '))
    .join('; ')
}

const SHARED = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'object-src': ["'none'"],
  'frame-ancestors': ["'none'"],
  'font-src': ["'self'"],
  'manifest-src': ["'self'"],
  'img-src': ["'self'", 'data:', 'blob:', 'https:'],
} as const

/** Of a public page. */
export const publicPolicy = (inline: InlineHashes): string =>
  policy({
    ...SHARED,
    'script-src': ["'self'", ...quoted(inline.scripts)],
    'style-src': ["'self'", ...quoted(inline.styles)],
    'connect-src': ["'self'"],
    'frame-src': [PLAYER],
    'form-action': ["'self'"],
  })

/** Of a program that is no page: opened as one it is nothing. */
const NO_PAGE = { 'default-src': ["'none'"], 'base-uri': ["'none'"], 'frame-ancestors': ["'none'"] } as const

/** Of the workers that verify a day or an entry: they hash long lists by WebAssembly and read our files, and do nothing else. */
export const WORKER_POLICY = policy({
  ...NO_PAGE,
  'script-src': ["'self'", "'wasm-unsafe-eval'"],
  'connect-src': ["'self'"],
})

/** Of the service worker: it fetches our own pages and files, and runs nothing besides itself. */
export const SERVICE_WORKER_POLICY = policy({ ...NO_PAGE, 'connect-src': ["'self'"] })

/** Of the members' app: it also loads the gateway's script and, where it is set up, Google's button. */
export function appPolicy(gateway: GatewayOrigins, googleOrigin: string | undefined): string {
  const google = googleOrigin === undefined ? [] : [GOOGLE, googleOrigin]
  return policy({
    ...SHARED,
    'script-src': ["'self'", ...gateway.scripts, ...google],
    'style-src': ["'self'", ...google],
    'connect-src': ["'self'", ...gateway.scripts, ...gateway.pages, ...google],
    'frame-src': [PLAYER, ...gateway.pages, ...google],
    'form-action': ["'self'", ...gateway.pages],
  })
}

/** Of the portal: nothing of another host runs beside an administrator's session, is asked, shown in a frame or sent a form. */
export const PORTAL_POLICY = policy({
  ...SHARED,
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'connect-src': ["'self'"],
  'form-action': ["'self'"],
})

/** Sent with every answer of the site. YouTube needs the referrer's origin, Google's popup its opener. */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
} as const
