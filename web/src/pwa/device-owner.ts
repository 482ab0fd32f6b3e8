/**
 * The member to whom this browser shows results, and the queue of changes to its push subscription.
 * - The device remembers the owner until the session ends.
 * - Changes run one after the other, so that a start and an end at the same time cannot undo each other.
 */
import { readStored, store } from '../app/stored.ts'

const OWNER = 'results-on-device'
/** The owner while the browser still has to drop the former owner's subscription. */
export const NOBODY = 'nobody'

let last: Promise<unknown> = Promise.resolve()

/** Runs the change after all changes before it. A failure is logged and stops no later change. */
export function changeInOrder(change: () => Promise<void>): void {
  last = last.then(change).catch((error: unknown) => console.info('Results on this device could not be kept up:', error))
}
/** Resolves once no change is running. */
export const deviceSettled = (): Promise<unknown> => last

export const deviceOwner = (): string | undefined => readStored(OWNER)
/** Without storage the member is asked again on the next visit. */
export const setDeviceOwner = (memberId: string | undefined): boolean => store(OWNER, memberId)
