/**
 * Whether this browser is told of results, and for whom: the member who tapped for it here. Invariant:
 * whoever is signed out, or is somebody else, is told nothing on this device; after a session that ended
 * by itself results come back with that member alone. What it takes is loaded only where somebody has.
 * An administrator's session in the portal is no member's: it changes nothing here.
 */
import { inPortal } from '../portal.ts'

const OWNER = 'results-on-device'

/** Whose session is here. */
let present: string | undefined
let last: Promise<unknown> = Promise.resolve()

/** One after the other: an end and a beginning at once must not undo each other. */
function next(work: (push: typeof import('./push.ts')) => Promise<void>): void {
  last = last
    .then(() => import('./push.ts'))
    .then(work)
    .catch((error: unknown) => console.info('Results on this device could not be kept up:', error))
}
/** Once nothing is under way. */
export const deviceSettled = (): Promise<unknown> => last

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

/** The session is gone, and with it what the server knows of this device; whose it is stays known. */
export function dropDevice(): void {
  if (inPortal) return
  present = undefined
  if (deviceOwner() !== undefined) next(({ dropSubscription }) => dropSubscription())
}

/** The member has left, or somebody else is here: nothing comes back by itself. */
export function forgetDevice(): void {
  if (inPortal) return
  dropDevice()
  setDeviceOwner(undefined)
}

/** A member is here: what the browser or the server has lost since is mended. */
export function keepDevice(memberId: string): void {
  if (inPortal) return
  const owner = deviceOwner()
  if (owner === undefined) return
  if (owner !== memberId) return forgetDevice()
  present = memberId
  next(async ({ renewSubscription }) => {
    if (present === memberId) await renewSubscription()
  })
}
