/**
 * Which push services may be called. Invariant: a member names an address that this server then calls:
 * only browsers' own push services are, by https at its own port, and whatever the operator named.
 */
const KNOWN = [
  // Chrome, Edge and others on Android; Chromium without Google's keys.
  'fcm.googleapis.com',
  'jmt17.google.com',
]
/** Services that give each region or version a name of its own. */
const KNOWN_UNDER = [
  // Firefox
  '.push.services.mozilla.com',
  // Safari
  '.push.apple.com',
  // Edge on Windows
  '.notify.windows.com',
]

/** `extra` are hosts, with a port where it is not 443. */
export function createPushHosts(extra: readonly string[]): (endpoint: string) => boolean {
  const named = new Set(extra)
  return (endpoint) => {
    if (!URL.canParse(endpoint)) return false
    const url = new URL(endpoint)
    if (url.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.hash !== '') return false
    if (named.has(url.host)) return true
    return url.port === '' && (KNOWN.includes(url.host) || KNOWN_UNDER.some((end) => url.host.endsWith(end)))
  }
}
