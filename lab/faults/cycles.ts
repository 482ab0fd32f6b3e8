/**
 * A cycle: load runs, a fault is injected, the damage is repaired, a new operation is acknowledged, and the judge compares.
 * - A fault with nothing in flight is no cycle.
 * - The system is judged at rest before it closes.
 * - After a finding the next cycle gets a new system.
 * - Any answer of 500 is a finding, except of a system that is weakened on purpose.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { dayAt, nextDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { makeSavers, WITH_AUTOPAY } from './autopay.ts'
import type { OperationKind } from './journal.ts'
import { isClean, judge, judgeAtRest, type Verdict } from './judge.ts'
import type { Gateways } from './judge-returns.ts'
import { createLoad } from './load.ts'
import { createCalls } from './patient-calls.ts'
import { createDice } from './random.ts'
import { openSystem, type SystemUnderTest } from './system-under-test.ts'
import { TEAM } from './team.ts'
import { type FaultContext, type FaultTarget, type Kind, type Fault, FAULTS, nightIsOver } from './faults.ts'

export type Cycle = {
  readonly kind: string
  readonly inFlight: number
  /** Operations whose connection broke. */
  readonly cutOff: number
  /** From the end of the fault to the first acknowledgement of an operation that started after it. */
  readonly recoveryMs: number
  /** The longest time without any acknowledgement, from the moment that recovery counts from until the damage is repaired. */
  readonly silenceMs: number
  /** Tries of any call without a definite answer. */
  readonly failed: number
  readonly acknowledged: number
  readonly seconds: number
}
export type Finding = Verdict & { readonly kind: string; readonly cycle: number; readonly told: readonly string[] }
export type RunResult = {
  readonly cycles: readonly Cycle[]
  /** Faults that found nothing in flight. */
  readonly idle: readonly string[]
  readonly acknowledged: number
  /** Counts of operations by kind. */
  readonly deeds: Readonly<Partial<Record<OperationKind, number>>>
  readonly faultAnswers: Readonly<Record<string, number>>
  readonly finding: Finding | undefined
}
export type CycleOptions<K extends string> = {
  readonly kinds: readonly K[]
  readonly seed: number
  readonly clients: number
  readonly members: number
  readonly goesOn?: () => boolean
  readonly say?: (line: string) => void
  /** Receives the servers' output. */
  readonly log?: (text: string) => void
  /** A safeguard is removed on purpose, to see that the judge finds it. */
  readonly isWeakened?: boolean
  readonly forgetsKeys?: boolean
  /** A call whose first try has no definite answer is a finding. */
  readonly failsNoCall?: boolean
}
type ServerRunOptions = CycleOptions<Kind> & {
  /** Servers on one database; 1 by default. */
  readonly instances?: number
  readonly weaken?: 'commits-in-memory' | 'forgotten-keys' | undefined
}
type Setup<G extends FaultTarget, K extends string> = {
  readonly open: () => Promise<G>
  readonly faults: Readonly<Record<K, Fault<G>>>
  readonly prepare?: (target: G) => Promise<void>
  /** Judges a healthy system once more at rest; returns the findings. */
  readonly atEnd?: (target: G) => Promise<readonly string[]>
}

const BACK_WITHIN_MS = 60_000
const REST_WITHIN_MS = 60_000
const NOON_MS = 12 * 3_600_000
/** Clients retry no longer than this in runs in which no call may fail. */
const GIVE_UP_SOON_MS = 5000
/** The server asks about a settled matter once a day, so rest advances the clock in steps of 6 h. */
const REST_STEP_MS = 6 * 3_600_000
/** Two days of the product's clock. On a slow machine, after much work, they last longer than the minute above. */
const REST_STEPS_MIN = 8
const NOTHING: Verdict = { lost: [], doubled: [], strange: [], broken: [] }

/** Opens one system and injects one fault of each of these kinds, in this order. */
export function runOnServers(options: ServerRunOptions): Promise<RunResult> {
  const { weaken, members, instances = 1 } = options
  return runCycles(
    {
      open: () => openSystem({ members, instances, env: WITH_AUTOPAY }),
      faults: FAULTS,
      prepare: async (system) => {
        await addSavers(system)
        if (weaken === 'commits-in-memory') await system.commitInMemory()
      },
    },
    { ...options, isWeakened: weaken !== undefined, forgetsKeys: weaken === 'forgotten-keys' },
  )
}

/** AutoPay for some members, at noon of the next day: its debits are raised by day. */
async function addSavers(system: SystemUnderTest): Promise<void> {
  const { servers, savers, setClock, now } = system
  const day = dayAt((await now()).getTime())
  await setClock(startOfDayMs(nextDay(day)) + NOON_MS)
  await nightIsOver({ system }, day)
  const calls = createCalls({ origin: () => servers.url(), forgetsKeys: false })
  const gateway = createCalls({ origin: () => servers.sandboxUrl(), forgetsKeys: false })
  savers.push(...(await makeSavers({ ...system, calls, gateway })))
}

export async function runCycles<G extends FaultTarget, K extends string>(setup: Setup<G, K>, options: CycleOptions<K>): Promise<RunResult> {
  const dice = createDice(options.seed)
  const system = await setup.open()
  const { forgetsKeys = false, isWeakened = false, failsNoCall = false } = options
  const calls = createCalls({ origin: () => system.servers.url(), forgetsKeys, ...(failsNoCall && { giveUpMs: GIVE_UP_SOON_MS }) })
  const gateway = createCalls({ origin: () => system.servers.sandboxUrl(), forgetsKeys })
  const load = createLoad({
    calls,
    gateway,
    journal: system.journal,
    members: system.members,
    dice,
    team: TEAM,
    desk: system.desk,
    savers: system.savers ?? [],
    clients: options.clients,
    forgetsKeys,
    isMixed: failsNoCall,
    noticeUrl: () => system.servers.url(),
  })
  const context: FaultContext<G> = { system, load, calls, gateway, dice }
  const complaints = (): string[] => [
    ...load.complaints(),
    ...system.servers.complaints(),
    ...(failsNoCall ? calls.failures() : []),
    ...(isWeakened ? [] : calls.faults(system.servers.printed)),
  ]
  // The members' starting money was acknowledged to no client.
  const before = system.journal.acknowledged()
  const countsBefore = new Map(system.journal.counts())
  const cycles: Cycle[] = []
  const idle: K[] = []
  let finding: Finding | undefined
  try {
    await setup.prepare?.(system)
    load.start(dayAt((await system.now()).getTime()))
    for (const kind of options.kinds) {
      if (finding !== undefined || options.goesOn?.() === false) break
      const began = performance.now()
      const cycle = await runCycle(context, kind, setup.faults[kind])
      if (cycle === undefined) idle.push(kind)
      else cycles.push(cycle)
      finding = await lookAfter(system, complaints(), kind, cycles.length)
      options.say?.(
        cycle === undefined
          ? `${kind}: nothing was in flight`
          : `${describe(cycle, cycles.length)}, ${((performance.now() - began) / 1000).toFixed(1)} s`,
      )
    }
    await load.stop()
    if (finding === undefined && !isWeakened) finding = await rest(context, complaints, cycles.length)
    const told = finding === undefined ? ((await setup.atEnd?.(system)) ?? []) : []
    if (told.length > 0) finding = { kind: 'at the end', cycle: cycles.length, ...NOTHING, told }
  } catch (error) {
    finding = {
      kind: options.kinds[cycles.length + idle.length] ?? 'at rest',
      cycle: cycles.length,
      ...NOTHING,
      told: [String(error), ...complaints()],
    }
  }
  try {
    await load.stop()
    if (finding !== undefined) {
      // Calls may have failed between the finding and the end of the load.
      const late = complaints().filter((text) => !finding?.told.includes(text))
      finding = { ...finding, told: [...finding.told, ...late] }
      options.say?.(JSON.stringify(finding, undefined, 1))
    }
    options.log?.(system.servers.printed())
  } finally {
    await system.close()
  }
  const faultAnswers = Object.fromEntries([...calls.statuses()].map(([status, count]) => [String(status), count]))
  const deeds = Object.fromEntries([...system.journal.counts()].map(([kind, count]) => [kind, count - (countsBefore.get(kind) ?? 0)]))
  return {
    cycles,
    idle,
    acknowledged: system.journal.acknowledged() - before,
    deeds,
    faultAnswers,
    finding,
  }
}

const describe = ({ kind, inFlight, cutOff, recoveryMs }: Cycle, number: number): string =>
  `${String(number).padStart(4)} ${kind.padEnd(20)} ${inFlight} in flight, ${cutOff} cut off, back after ${recoveryMs.toFixed(0)} ms`

async function runCycle<G extends FaultTarget>(context: FaultContext<G>, kind: string, fault: Fault<G>): Promise<Cycle | undefined> {
  const { system, load, calls } = context
  const beganAt = performance.now()
  load.press({ rush: true })
  const cutOffBefore = calls.cutOff()
  const failedBefore = calls.failed()
  const acknowledgedBefore = system.journal.acknowledged()
  const injected = await fault(context)
  await system.databaseBack()
  await system.servers.revive()
  if (injected === undefined) {
    load.press({ rush: false })
    return undefined
  }
  const until = performance.now() + BACK_WITHIN_MS
  while (load.acknowledgedAfter(injected.endedAt) === undefined && performance.now() < until) await sleep(2)
  const backAt = load.acknowledgedAfter(injected.endedAt)
  const silenceMs = load.longestSilence(injected.endedAt)
  load.press({ rush: false })
  if (backAt === undefined) throw new Error(`${kind}: nothing was acknowledged for ${BACK_WITHIN_MS / 1000} s after it`)
  return {
    kind,
    inFlight: injected.inFlight,
    cutOff: calls.cutOff() - cutOffBefore,
    recoveryMs: backAt - injected.endedAt,
    silenceMs,
    failed: calls.failed() - failedBefore,
    acknowledged: system.journal.acknowledged() - acknowledgedBefore,
    seconds: (performance.now() - beganAt) / 1000,
  }
}

async function lookAfter(system: FaultTarget, told: readonly string[], kind: string, cycle: number): Promise<Finding | undefined> {
  const verdict = await judge(system.db, system.journal, await system.audit?.())
  return isClean(verdict) && told.length === 0 ? undefined : { kind, cycle, ...verdict, told }
}

/** Without clients, everything paid or ended at the gateway must arrive by itself. */
async function rest(
  { system, load, gateway, dice }: FaultContext<FaultTarget>,
  complaints: () => readonly string[],
  cycle: number,
): Promise<Finding | undefined> {
  // No client's call: it answers when all work of 6 h has run.
  const clock = createCalls({ origin: () => system.servers.url(), forgetsKeys: false })
  await gateway.patiently({ path: '/__sandbox/faults', body: {} })
  const transferStatus = async (id: string): Promise<string> => {
    const { body } = await gateway.patiently({ method: 'GET', path: `/__sandbox/transfers/${id.replaceAll('-', '')}` })
    return typeof body.status === 'string' ? body.status : 'unknown there'
  }
  const read = (what: string, id: string) => gateway.patiently({ method: 'GET', path: `/__sandbox/${what}/${id}` })
  const gateways: Gateways = async (what, id) => {
    const first = await read(what, id)
    // A payment of AutoPay has refunds of its own.
    const { status, body } = first.status === 404 && what === 'refunds' ? await read('charge-refunds', id) : first
    if (status !== 200) return undefined
    const webhooks = (body.webhooks ?? []) as readonly { readonly attempts: readonly { readonly status: number | null }[] }[]
    return {
      status: String(body.order_status ?? body.refund_status ?? body.dispute_status),
      heard: webhooks.some(({ attempts }) => attempts.some((attempt) => attempt.status === 200)),
    }
  }
  const until = performance.now() + REST_WITHIN_MS
  let missing: string[] = []
  let steps = 0
  do {
    steps++
    const later = new Date((await system.now()).getTime() + REST_STEP_MS + dice.below(60_000)).toISOString()
    await clock.patiently({ path: '/dev/clock', body: { now: later } })
    await load.endTransfers()
    missing = await judgeAtRest(system.db, system.journal, transferStatus, gateways)
  } while (missing.length > 0 && (steps < REST_STEPS_MIN || performance.now() < until))
  const found = await lookAfter(system, complaints(), 'at rest', cycle)
  if (missing.length === 0) return found
  const late = missing.map((text) => `${text}, after ${(steps * REST_STEP_MS) / 3_600_000} h of rest`)
  return { ...(found ?? { kind: 'at rest', cycle, ...NOTHING, told: [] }), lost: [...(found?.lost ?? []), ...late] }
}
