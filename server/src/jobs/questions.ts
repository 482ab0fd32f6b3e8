/**
 * Questions to the gateway: each is claimed by one caller of all processes, then asked and booked.
 * - A failure at any step is recorded, and blocks neither the caller nor another question (parking.ts).
 * - A claimed question has a row with its next time. If its claim failed, a question has no row, and only its job repeats it.
 */
import type { Attempt, Work } from './parking.ts'

type Question<C> = {
  readonly work: Work
  readonly item: string
  /** Undefined: the gateway was asked a moment ago, so the question is delayed. */
  readonly claim: () => Promise<C | undefined>
  readonly ask: (claimed: C) => Promise<void>
}

/** Returns whether a row records the question. */
export async function pose<C>(attempt: Attempt, { work, item, claim, ask }: Question<C>): Promise<boolean> {
  let isHeld = false
  await attempt(work, item, async () => {
    const claimed = await claim()
    isHeld = true
    if (claimed !== undefined) await ask(claimed)
  })
  return isHeld
}

/** For the handler of a job: throws if no row records the question, so that the job keeps it. */
export async function orKeepJob(posed: Promise<boolean>): Promise<void> {
  if (!(await posed)) throw new Error('the question to the gateway could not be claimed; its job asks again')
}

/** For a sweep: whether any question was claimed. If none could be, looking again at once would find the same ones, without end. */
export const areAnyHeld = async (posed: readonly Promise<boolean>[]): Promise<boolean> => (await Promise.all(posed)).some(Boolean)
