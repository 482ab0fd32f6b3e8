/**
 * A month of the product and of the world around it: members pay and set up AutoPay, the gateway fails in every way, banks settle and
 * take back, and each morning the team works off what its lists show.
 * - Faults go on for some days after the month, while the second debits of its mandates are due.
 * - Then the gateway is well, until nothing is open anywhere; and everything is judged.
 * - The run stops itself: each wait has a bound, and `goesOn` ends it between two days.
 */
import { setTimeout } from 'node:timers/promises'
import { addDays, dayAt, type IstDay } from '@roz/core/ist-day.ts'
import { createDice } from '../faults/random.ts'
import { createActs } from './acts.ts'
import { openBank } from './bank.ts'
import { createBanks } from './banks.ts'
import { type Fault, faultOfNight, faultsOfDay, FOREIGN, isForeignDay, WELL } from './faults.ts'
import { readGatewayBooks } from './gateway-books.ts'
import { createHelp } from './help-work.ts'
import { differenceOf, compareAccounts, judge, listLeft, type MonthResult } from './judge.ts'
import { createSecrets } from './leaks.ts'
import { createMembersDay } from './members-day.ts'
import { createTeam } from './team-work.ts'
import { drain, openWorld, type World } from './world.ts'

type MonthOptions = {
  readonly payments: number
  readonly mandates: number
  readonly days: number
  readonly seed: number
  /** Off: the gateway never fails. */
  readonly faults: boolean
  readonly say: (line: string) => void
  readonly goesOn: () => boolean
}

/** Payments of a member in a month, on average. */
const PAYMENTS_EACH = 4
/** The first mandates are 27 days old then, and debited again. */
const DEBITS_AFTER = 28
const MORE_DAYS = 4
/** Work of the gateway's pace is not waited for while it fails. */
const PATIENCE = { silent: 2, failing: 12, well: 600 } as const
/** Each call to a silent gateway waits ten seconds, and thousands are due in a night: then it is silent for so long, in ms. */
const SILENT_MS = 60_000
const WELL_DAYS_MAX = 24
/** The share of a month's payments on each day without faults. */
const WELL_DAY_SHARE = 0.004
const PAYMENTS_LEAST = 4
const LEFT_SHOWN = 6

export async function runMonth(options: MonthOptions): Promise<MonthResult> {
  const secrets = createSecrets()
  const payers = Math.max(2, Math.ceil(options.payments / PAYMENTS_EACH))
  const world = await openWorld({ members: payers + options.mandates, secrets })
  try {
    const run = createRun(world, options, payers)
    const days = options.days + (options.days >= DEBITS_AFTER ? MORE_DAYS : 0)
    for (let day = 0; day < days && options.goesOn(); day++) await run.day(day)
    await run.well()
    return await judge({ world, secrets, ...run.outside })
  } catch (error) {
    // The answer of a failed call does not say why it failed.
    for (const line of errorsIn(world.roz.output()).slice(-LEFT_SHOWN)) options.say(line)
    throw error
  } finally {
    await world.close()
  }
}

/** Errors in the log of the server: level 50 and above. */
const errorsIn = (output: string): string[] => output.split('\n').filter((line) => /"level":[56]0/.test(line))

function createRun(world: World, options: MonthOptions, payers: number) {
  const dice = createDice(options.seed)
  const books = readGatewayBooks(world.roz.dataDir)
  const byId = new Map(world.members.map((member) => [member.publicId, member]))
  const bank = openBank(books, (payee) => (byId.get(payee) ?? dice.pick(world.members)).upiId)
  const banks = createBanks({ world, books, bank, dice })
  const team = createTeam({ world, bank, dice })
  const help = createHelp(world, bank, (complaint) => void team.complaints.push(complaint))
  const first = dayAt(world.nowMs())
  const setFault = async (fault: Fault | undefined): Promise<void> =>
    void (await world.press('/faults', { ...WELL, ...(options.faults ? fault?.switches : {}) }))
  const members = createMembersDay({
    world,
    dice,
    acts: createActs(world, books, dice),
    payers: world.members.slice(0, payers),
    savers: world.members.slice(payers),
    setFault,
  })

  const wellAfter = async (ms: number): Promise<void> => {
    await setTimeout(ms)
    await setFault(undefined)
  }

  /** The part of a total that is reached at the end of a day. */
  const reached = (total: number, day: number, days: number): number => Math.round((total * Math.min(day + 1, days)) / days)

  /** Midnight, the reading of the settlements at a gateway that may fail, and the team's morning at one that is well. */
  async function morning(day: IstDay, patience: number): Promise<void> {
    await world.goTo(day, 0.01)
    await world.goTo(day, 6)
    await drain(world, patience)
    await setFault(undefined)
    // Work that failed in the night is tried again within an hour.
    for (const hour of [8, 9.1]) {
      await world.goTo(day, hour)
      await drain(world, PATIENCE.well)
    }
    await world.goTo(day, 10.2)
    await team.morning(day)
    await help(day)
    await drain(world, PATIENCE.well)
  }

  /** The gateway names another currency in all that it says: its payments can only be sent back, in that currency. */
  async function foreignMoney(): Promise<void> {
    await setFault(FOREIGN)
    await members.payUntil(1)
    await world.pass(10, 5)
    await team.decideSuspense()
    await team.decideRefunds()
    await world.pass(10, 5)
    await banks.decideRefunds()
    await world.pass(90, 15)
    await setFault(undefined)
  }

  async function oneDay(index: number): Promise<void> {
    const day = addDays(first, index)
    await world.goTo(day, 12)
    const goal = {
      payments: reached(options.payments, index, options.days),
      mandates: reached(options.mandates, index, Math.max(1, Math.floor(options.days / 6))),
    }
    await members.day(goal, options.faults ? faultsOfDay(index) : [])
    await world.goTo(day, 18)
    await drain(world, PATIENCE.well)
    if (options.faults && isForeignDay(index)) await foreignMoney()
    await banks.evening({ day, isWell: false })
    await world.pass(40, 20)
    const night = faultOfNight(index)
    await setFault(night)
    const isSilent = options.faults && night.isSlow === true
    const ends = isSilent ? wellAfter(SILENT_MS) : undefined
    await morning(addDays(day, 1), PATIENCE[!options.faults ? 'well' : isSilent ? 'silent' : 'failing'])
    await ends
    const { payments, mandates } = members.counts()
    options.say(`${day}: ${payments} payments, ${mandates} mandates, ${team.complaints.length} unexpected refusals`)
  }

  const listAllLeft = async (): Promise<string[]> => {
    const off = (await compareAccounts(world, books, bank)).filter((one) => differenceOf(one) !== 0)
    return [...(await listLeft(world)), ...team.postponed(), ...off.map((one) => `${one.account} is off: ${JSON.stringify(one)}`)]
  }

  return {
    day: oneDay,
    outside: { books, bank, complaints: team.complaints, counts: members.counts },
    /** Days without a fault, until nothing is left. The last one is quiet: the books have a settlement on the day after the bank. */
    async well(): Promise<void> {
      let isQuiet = false
      for (let day = 0; day < WELL_DAYS_MAX; day++) {
        const today = dayAt(world.nowMs())
        // The gateway takes refunds off new payments, and settles nothing while these are too few.
        if (!isQuiet) await members.payUntil(Math.max(PAYMENTS_LEAST, Math.ceil(options.payments * WELL_DAY_SHARE)))
        await world.goTo(today, 18)
        await drain(world, PATIENCE.well)
        if (!isQuiet) await banks.evening({ day: today, isWell: true })
        // The day's debits are asked about before the next settlement has them: as many a minute as the gateway answers.
        await world.pass(40, 20)
        await drain(world, PATIENCE.well)
        await morning(addDays(today, 1), PATIENCE.well)
        const left = await listAllLeft()
        options.say([`${today}, without faults: ${left.length} left`, ...left.slice(0, LEFT_SHOWN)].join('\n         '))
        if (left.length === 0 || !options.goesOn()) return
        isQuiet = left.every((one) => one.startsWith('the bank differs'))
      }
    },
  }
}
