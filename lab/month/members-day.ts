/**
 * A day of the members: its share of the month's payments and mandates, part of it at a gateway that fails, and what else members do.
 * - A payment or a setup that a fault prevents is made later, so the month has as many as it should.
 */
import type { Dice } from '../faults/random.ts'
import type { Acts } from './acts.ts'
import type { Fault } from './faults.ts'
import type { Member } from './members.ts'
import type { World } from './world.ts'

const AT_ONCE = 6
const SETUPS_AT_ONCE = 8
/** While a call waits ten seconds for an answer. */
const SLOW = { payments: 3, setups: 1 } as const
const TRIES_MAX = 400

type Deps = {
  readonly world: World
  readonly dice: Dice
  readonly acts: Acts
  /** Members that pay by hand. */
  readonly payers: readonly Member[]
  /** Members that set up AutoPay. */
  readonly savers: readonly Member[]
  readonly setFault: (fault: Fault | undefined) => Promise<void>
}

/** The totals to reach by the end of a day. */
export type Goal = { readonly payments: number; readonly mandates: number }

export function createMembersDay({ world, dice, acts, payers, savers, setFault }: Deps) {
  const waiting = [...savers]
  const leaving = new Set<Member>()
  let paid = 0
  const mandates = (): number => savers.length - waiting.length

  /** Pays until so many payments are made, or so many calls. */
  async function payUntil(goal: number, tries: number): Promise<void> {
    let left = tries
    await atOnce(AT_ONCE, async () => {
      while (paid < goal && left-- > 0) if (await acts.pay(dice.pick(payers))) paid++
    })
  }

  /** Tries the setups of so many members. */
  async function setUp(count: number): Promise<void> {
    const begin = waiting.splice(0, count)
    await atOnce(AT_ONCE, async () => {
      for (let member = begin.pop(); member !== undefined; member = begin.pop())
        if (!(await acts.setUpAutopay(member))) waiting.push(member)
    })
  }

  async function atFailingGateway(fault: Fault, payments: number, setups: number): Promise<void> {
    await setFault(fault)
    await payUntil(paid + payments, fault.isSlow === true ? SLOW.payments : payments)
    await setUp(Math.min(setups, fault.isSlow === true ? SLOW.setups : SETUPS_AT_ONCE))
    if (fault.isSlow !== true) await world.pass(30, 15)
  }

  async function others(): Promise<void> {
    const some = (share: number, of = world.members): Member[] => of.filter(() => dice.chance(share))
    for (const member of some(0.05)) await acts.join(member)
    for (const member of some(0.006)) await acts.askRefund(member)
    for (const member of some(0.003)) await acts.withdraw(member)
    for (const member of some(0.01, payers)) leaving.add(member)
    for (const member of leaving) if (await acts.leave(member)) leaving.delete(member)
    for (const member of some(0.005, savers)) await acts.wish(member)
    for (const member of some(0.004, savers)) await acts.atBank(member)
    if (dice.chance(0.7)) await acts.payStrange()
  }

  return {
    counts: (): Goal => ({ payments: paid, mandates: mandates() }),
    payUntil: (more: number): Promise<void> => payUntil(paid + more, 4 * more),
    async day(goal: Goal, faults: readonly Fault[]): Promise<void> {
      const share = faults.length + 1
      const today = { payments: goal.payments - paid, mandates: goal.mandates - mandates() }
      for (const fault of faults) await atFailingGateway(fault, Math.ceil(today.payments / share), Math.ceil(today.mandates / share))
      await setFault(undefined)
      for (let tries = 0; paid < goal.payments && tries < TRIES_MAX; tries++) {
        await payUntil(goal.payments, 2 * (goal.payments - paid) + 10)
        await world.pass(5)
      }
      for (let tries = 0; mandates() < goal.mandates && tries < TRIES_MAX; tries++) {
        await setUp(Math.min(SETUPS_AT_ONCE, goal.mandates - mandates()))
        // The gateway takes some 50 a minute.
        await world.setClock(world.nowMs() + 10_000)
      }
      await others()
    },
  }
}

/** Runs the same work several times at once. */
async function atOnce(count: number, work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, work))
}
