/**
 * Security headers of everything the site serves.
 *
 * - An inline script or style runs only if its hash is in the build's manifest.
 * - No other site can frame our pages.
 * - Only the members' app may load the gateway and Google.
 * - Pictures come from our own host, and on pages that show stories also from the hosts in PICTURE_HOSTS.
 */
export type GatewayOrigins = {
  /** Origins of the gateway's browser script. */
  readonly scripts: readonly string[]
  /** Origins of its checkout page: forms are sent to them, frames show them. */
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
  'img-src': ["'self'"],
} as const

const pictures = (hosts: readonly string[]): string[] => ["'self'", ...hosts.map((host) => `https://${host}`)]

/** For a public page. */
export const publicPolicy = (inline: InlineHashes, pictureHosts: readonly string[]): string =>
  policy({
    ...SHARED,
    'img-src': pictures(pictureHosts),
    'script-src': ["'self'", ...quoted(inline.scripts)],
    'style-src': ["'self'", ...quoted(inline.styles)],
    'connect-src': ["'self'"],
    'frame-src': [PLAYER],
    'form-action': ["'self'"],
  })

/** For a worker's file: opened as a page it can do nothing. */
const NO_PAGE = { 'default-src': ["'none'"], 'base-uri': ["'none'"], 'frame-ancestors': ["'none'"] } as const

/** For the workers that verify a day or an entry: they read our files, nothing else. */
export const WORKER_POLICY = policy({
  ...NO_PAGE,
  'script-src': ["'self'"],
  'connect-src': ["'self'"],
})

/** For the service worker: it fetches our own pages and files, and runs nothing besides itself. */
export const SERVICE_WORKER_POLICY = policy({ ...NO_PAGE, 'connect-src': ["'self'"] })

/** For the members' app: it also loads the gateway's script and, where configured, Google's button. */
export function appPolicy(gateway: GatewayOrigins, googleOrigin: string | undefined, pictureHosts: readonly string[]): string {
  const google = googleOrigin === undefined ? [] : [GOOGLE, googleOrigin]
  return policy({
    ...SHARED,
    'img-src': pictures(pictureHosts),
    'script-src': ["'self'", ...gateway.scripts, ...google],
    'style-src': ["'self'", ...google],
    'connect-src': ["'self'", ...gateway.scripts, ...gateway.pages, ...google],
    'frame-src': [PLAYER, ...gateway.pages, ...google],
    'form-action': ["'self'", ...gateway.pages],
  })
}

/** For the portal: another host's scripts, connections, frames and forms are blocked beside an administrator's session. Of our own
 * pages only the frame that draws PDFs lets itself be framed. */
export const PORTAL_POLICY = policy({
  ...SHARED,
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'connect-src': ["'self'"],
  'frame-src': ["'self'"],
  'form-action': ["'self'"],
})

/**
 * For the frame that draws PDFs in the portal. It has no origin, so no session and no storage, and no network. Only the page's own
 * script and worker run.
 */
export const pdfFramePolicy = (script: string): string =>
  policy({
    ...NO_PAGE,
    'frame-ancestors': ["'self'"],
    'script-src': [`'${script}'`, "'wasm-unsafe-eval'"],
    'worker-src': ['blob:'],
    sandbox: ['allow-scripts'],
  })

/** Sent with every answer of the site. YouTube needs the referrer's origin, and Google's popup needs its opener. */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
} as const
