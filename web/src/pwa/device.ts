/**
 * Keeps this browser's push subscription in step with the session.
 * - After logout, or with another member, this device shows no results.
 * - After an expired session, results resume only for the same member.
 * - The push code is loaded only in a browser where a member has turned results on.
 * - An administrator's session in the portal changes nothing here.
 */
import { inPortal } from '../app/portal.ts'
import { changeInOrder, deviceOwner, setDeviceOwner } from './device-owner.ts'

/** The member whose session is open in this page. */
let present: string | undefined

function next(work: (push: typeof import('./push.ts')) => Promise<void>): void {
  changeInOrder(() => import('./push.ts').then(work))
}

/** The session has ended, and with it the server's subscription. The device keeps its owner. */
export function dropDevice(): void {
  if (inPortal) return
  present = undefined
  if (deviceOwner() !== undefined) next(({ dropSubscription }) => dropSubscription())
}

/** The member has logged out, or another member has logged in. Results do not resume automatically. */
export function forgetDevice(): void {
  if (inPortal) return
  dropDevice()
  setDeviceOwner(undefined)
}

/** A member is logged in: renews a subscription that the browser or the server has lost since the last visit. */
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
