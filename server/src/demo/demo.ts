/**
 * Makes the demo community with its days of rounds (setting DEMO).
 * - Rounds, draws, shares and joins come from the real engine, driven by the product's clock; no row is written by hand.
 * - The demo is made once, on an empty database. A start that finds it unfinished continues where it stopped.
 * - There is no demo in production, where the clock cannot be set.
 */
import { addDays, dayAt, daysBetween, type IstDay, startOfDayMs } from '@roz/core/ist-day.ts'
import type { Db } from '../db/sql.ts'
import { hashPassword } from '../members/passwords.ts'
import type { Services } from '../services.ts'
import { DEMO_EMAIL, DEMO_MEMBERS, DEMO_STORIES, type DemoMember } from './community.ts'
import { demoAddMoney, type Demo, findDemoMember, join, publish, register, demoWithdraw } from './demo-calls.ts'
import { giveHelp } from './help.ts'
import { findOrBegin, finish, realNow, stepTo, stepToRealTime, type Simulation } from './simulation.ts'

/** Password of every demo member; printed at the start. */
export const DEMO_PASSWORD = 'demo-roz'

export type DemoDeps = {
  readonly db: Db
  readonly services: Services
  /** Prints a line for the person who started the server. */
  readonly say: (line: string) => void
}

const HOUR_MS = 3_600_000
const MORNING_MS = 9 * HOUR_MS
const EVENING_MS = 18 * HOUR_MS

/** Makes the demo community in an empty database. `signIn` is the mail address of a demo member. */
export async function seedDemo({ db, services, say }: DemoDeps): Promise<{ readonly signIn: string | undefined }> {
  const simulation = await findOrBegin(db)
  if (simulation === undefined) return { signIn: undefined }
  if (!simulation.isFinished) {
    say('Making a demo community with its rounds of the last 30 days (DEMO=0 starts without it) …')
    await simulateDays({ db, services, passwordHash: await hashPassword(DEMO_PASSWORD) }, simulation)
    await finish(db)
  }
  return { signIn: (await findDemoMember(db, DEMO_EMAIL)) === undefined ? undefined : DEMO_EMAIL }
}

async function simulateDays(demo: Demo, simulation: Simulation): Promise<void> {
  const startMs = simulation.position.getTime()
  const standsOn = dayAt(startMs)
  for (let day = standsOn; day < dayAt((await realNow(demo.db)).getTime()); day = addDays(day, 1)) {
    const number = daysBetween(simulation.firstDay, day)
    for (const [offsetMs, act] of [
      [1000, midnight],
      [MORNING_MS, morning],
      [EVENING_MS, evening],
    ] as const) {
      if (act === evening && DEMO_STORIES[number - 1] === undefined) continue
      const at = startOfDayMs(day) + offsetMs
      // Steps before the saved position are done; the step at the position is repeated.
      if (at < startMs) continue
      await stepTo(demo.db, new Date(at))
      await act(demo, day, number)
    }
  }
  await stepToRealTime(demo.db)
  await midnight(demo)
  const today = dayAt((await realNow(demo.db)).getTime())
  const number = daysBetween(simulation.firstDay, today)
  await evening(demo, today, number)
  await joinByHand(demo, number)
  await demo.services.worker.runDue()
}

/** Draws and settles yesterday's round, opens today's, runs Auto Participate. */
const midnight = ({ services }: Demo): Promise<void> => services.worker.runDue()

async function morning(demo: Demo, day: IstDay, number: number): Promise<void> {
  for (const member of DEMO_MEMBERS) {
    if (member.joinsOnDay === number) await register(demo, member)
    await morningOf(demo, member, day, number)
  }
  await joinByHand(demo, number)
}

async function morningOf(demo: Demo, member: DemoMember, day: IstDay, number: number): Promise<void> {
  const rupees = member.topups[number]
  const isDue = rupees !== undefined || member.withdrawal?.day === number
  const memberId = isDue ? await findDemoMember(demo.db, member.email) : undefined
  if (memberId === undefined) return
  if (rupees !== undefined) await demoAddMoney(demo, memberId, day, rupees)
  if (member.withdrawal?.day === number) await demoWithdraw(demo, memberId, member)
}

/** Joins members without Auto Participate on their days, and all others on their first day, which began before they came. */
async function joinByHand(demo: Demo, number: number): Promise<void> {
  for (const member of DEMO_MEMBERS) {
    const since = number - member.joinsOnDay
    if (since !== 0 && (member.joinsEvery === undefined || since < 0 || since % member.joinsEvery !== 0)) continue
    const memberId = await findDemoMember(demo.db, member.email)
    if (memberId !== undefined) await join(demo, memberId)
  }
}

/** Sends the open help, if yesterday has a story, and publishes the story of it. */
async function evening(demo: Demo, day: IstDay, number: number): Promise<void> {
  const story = DEMO_STORIES[number - 1]
  if (story === undefined) return
  // Runs the day's jobs first, because the draft is written by one of them.
  await demo.services.worker.runDue()
  const outlayId = await giveHelp(demo, day, story.help)
  // The story says what was paid. Above APPROVAL_ABOVE the payment waits for another person, and the story stays a draft.
  if (outlayId !== undefined) await publish(demo, addDays(day, -1), story, outlayId)
}
