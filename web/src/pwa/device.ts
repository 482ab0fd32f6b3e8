/**
 * Keeps this browser's push subscription in step with the session.
 * - After the session's end, or with another member, this device shows no results until a member turns them on again.
 * - The push code is loaded only in a browser where a member has turned results on.
 * - An administrator's session in the portal changes nothing here.
 */
import { inPortal } from '../app/portal.ts'
import { changeInOrder, deviceOwner, NOBODY, setDeviceOwner } from './device-owner.ts'

/** The member whose session is open in this page. */
let present: string | undefined

function next(work: (push: typeof import('./push.ts')) => Promise<void>): void {
  changeInOrder(() => import('./push.ts').then(work))
}

/** The session has ended, or another member has logged in. If the page closes before this is done, the next page finishes it. */
export function forgetDevice(): void {
  if (inPortal) return
  present = undefined
  if (deviceOwner() === undefined) return
  setDeviceOwner(NOBODY)
  next(async ({ dropSubscription }) => {
    await dropSubscription()
    if (deviceOwner() === NOBODY) setDeviceOwner(undefined)
  })
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
