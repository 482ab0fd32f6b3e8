/**
 * Whether this browser is told of results, and for whom: the member who tapped for it here. Invariant:
 * whoever is signed out, or is somebody else, is told nothing on this device. What it takes is loaded
 * only where somebody has.
 */
const OWNER = 'results-on-device'

export function deviceOwner(): string | undefined {
  try {
    return localStorage.getItem(OWNER) ?? undefined
  } catch {
    return undefined
  }
}

export function setDeviceOwner(memberId: string | undefined): void {
  try {
    if (memberId === undefined) localStorage.removeItem(OWNER)
    else localStorage.setItem(OWNER, memberId)
  } catch {
    // A browser that keeps nothing is asked anew next time.
  }
}

/** The member is gone, by logout or otherwise; the server forgets the device with the session. */
export function forgetDevice(): void {
  if (deviceOwner() === undefined) return
  setDeviceOwner(undefined)
  void import('./push.ts').then(({ dropSubscription }) => dropSubscription()).catch(() => undefined)
}

/** A member is here: what the browser or the server has lost since is mended. */
export function keepDevice(memberId: string): void {
  const owner = deviceOwner()
  if (owner === undefined) return
  if (owner !== memberId) return forgetDevice()
  void import('./push.ts')
    .then(({ renewSubscription }) => renewSubscription(memberId))
    .catch((error: unknown) => console.info('Results on this device could not be renewed:', error))
}
