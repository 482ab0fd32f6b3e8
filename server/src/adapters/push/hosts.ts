/**
 * Allow-list of push services. A member's browser names the address that this server calls.
 * - Allowed are the browsers' own push services, by https on port 443, and the hosts that the operator added.
 */
const KNOWN = [
  // Chrome, Edge and others on Android; Chromium without Google's keys.
  'fcm.googleapis.com',
  'jmt17.google.com',
]
/** Services with a host name per region or version. */
const KNOWN_UNDER = [
  // Firefox
  '.push.services.mozilla.com',
  // Safari
  '.push.apple.com',
  // Edge on Windows
  '.notify.windows.com',
]

/** `extra` are hosts, with their port unless it is 443. */
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
