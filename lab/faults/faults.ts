/**
 * The faults, one by one: each waits until operations are in flight, breaks something, and repairs its damage.
 * - A fault returns the number of operations in flight when it was injected; with none it is not injected.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { dayAt, nextDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { signal } from '@roz/server/db/embedded/process.ts'
import { sql } from '@roz/server/db/sql.ts'
import { earlyWebhooks } from './early-webhooks.ts'
import type { Load } from './load.ts'
import type { Calls } from './patient-calls.ts'
import type { Moment } from '../../e2e/harness/pg-proxy.ts'
import type { Dice } from './random.ts'
import type { SystemUnderTest } from './system-under-test.ts'

type Injected = {
  /** Operations in flight when the fault was injected. */
  readonly inFlight: number
  /** Recovery is measured from here: the fault, or the end of a fault that lasts. */
  readonly endedAt: number
}
/** The interface of a fault target: the servers of one machine, or a cluster. */
export type FaultTarget = Pick<SystemUnderTest, 'db' | 'journal' | 'members' | 'desk' | 'now' | 'setClock' | 'databaseBack' | 'close'> & {
  readonly servers: Pick<SystemUnderTest['servers'], 'url' | 'sandboxUrl' | 'revive' | 'complaints' | 'printed'>
  readonly savers?: SystemUnderTest['savers']
  readonly disk?: SystemUnderTest['disk']
  readonly audit?: SystemUnderTest['audit']
}
export type FaultContext<G extends FaultTarget = SystemUnderTest> = {
  readonly system: G
  readonly load: Load
  readonly calls: Calls
  readonly gateway: Calls
  readonly dice: Dice
}
export type Fault<G extends FaultTarget = SystemUnderTest> = (context: FaultContext<G>) => Promise<Injected | undefined>

const AIM_MS = 5000
const AIM_AGAIN_MS = 3
const CUT_WITHIN_MS = 5000
const FULL_WITHIN_MS = 6000
const NIGHT_WITHIN_MS = 30_000
/** After a night: AutoPay raises its debits by day. */
const MORNING_MS = 9 * 3_600_000

/** Waits for a moment with operations in flight, after a random delay; undefined when none came. */
export async function aim({ load, dice }: Pick<FaultContext, 'load' | 'dice'>): Promise<number | undefined> {
  await sleep(dice.between(0, 30))
  const until = performance.now() + AIM_MS
  while (performance.now() < until) {
    if (load.inFlight() > 0) return load.inFlight()
    await sleep(AIM_AGAIN_MS)
  }
  return undefined
}

/** Breaks something as soon as operations are in flight. */
const at =
  (damage: (context: FaultContext) => void | Promise<void>): Fault =>
  async (context) => {
    const inFlight = await aim(context)
    if (inFlight === undefined) return undefined
    const endedAt = performance.now()
    await damage(context)
    return { inFlight, endedAt }
  }

/** Stops processes with SIGSTOP and continues them. */
const pausing =
  (pidsOf: (context: FaultContext) => Promise<readonly number[]>, maxMs: number): Fault =>
  async (context) => {
    const pids = await pidsOf(context)
    const inFlight = pids.length === 0 ? undefined : await aim(context)
    if (inFlight === undefined) return undefined
    for (const pid of pids) signal(pid, 'SIGSTOP')
    await sleep(context.dice.between(50, maxMs))
    const endedAt = performance.now()
    for (const pid of pids) signal(pid, 'SIGCONT')
    return { inFlight, endedAt }
  }

const cutting =
  (moment: Moment): Fault =>
  async ({ system, load }) => {
    const cut = await Promise.race([system.proxy.cutNext(moment).then(() => load.inFlight()), sleep(CUT_WITHIN_MS, undefined)])
    system.proxy.disarm()
    if (cut === undefined || cut === 0) return undefined
    return { inFlight: cut, endedAt: performance.now() }
  }

/** Fills the disk until a call fails for it, then frees it. */
async function fillDisk(context: FaultContext): Promise<Injected | undefined> {
  const { system, calls, dice } = context
  const { disk } = system
  const inFlight = disk === undefined ? undefined : await aim(context)
  if (disk === undefined || inFlight === undefined) return undefined
  const failures = (): number => [...calls.statuses().values()].reduce((sum, count) => sum + count, 0)
  const before = failures()
  disk.fill()
  const until = performance.now() + FULL_WITHIN_MS
  while (failures() === before && performance.now() < until) {
    // A new WAL file is the first to find no space.
    await system.db.query(sql`select pg_switch_wal()`).catch(() => undefined)
    await sleep(50)
  }
  const felt = failures() > before
  if (felt) await sleep(dice.between(0, 500))
  const endedAt = performance.now()
  disk.free()
  await system.databaseBack()
  return felt ? { inFlight, endedAt } : undefined
}

/**
 * Midnight passes within 1 s of setting the clock just before it, or the clock jumps over it.
 * `also`: a second fault, injected around midnight.
 */
export const night =
  <G extends FaultTarget>(how: 'passes' | 'jumps', also?: Fault<G>): Fault<G> =>
  async (context) => {
    const { system, load, dice } = context
    const day = dayAt((await system.now()).getTime())
    const next = nextDay(day)
    if (how === 'passes') {
      await system.setClock(startOfDayMs(next) - 200 - dice.below(800))
      await sleep(dice.between(0, 200))
    }
    const inFlight = await aim(context)
    if (inFlight === undefined) return undefined
    if (how === 'jumps') await system.setClock(startOfDayMs(next) + dice.below(10_000))
    load.setToday(next)
    const endedAt = performance.now()
    const injected = also === undefined ? { inFlight, endedAt } : await sleep(dice.between(0, 1200)).then(() => also(context))
    await system.databaseBack()
    await system.servers.revive()
    await nightIsOver(context, day)
    await system.setClock(startOfDayMs(next) + MORNING_MS)
    return injected
  }

/** Waits until yesterday is settled and today's Auto Participate is done. */
export async function nightIsOver({ system }: { readonly system: FaultTarget }, day: string): Promise<void> {
  const until = performance.now() + NIGHT_WITHIN_MS
  for (;;) {
    const [row] = await system.db
      .query<{ over: boolean }>(sql`
        select coalesce((select status in ('settled', 'void') from round where day = ${day}::date), false)
           and coalesce((select bool_and(done) from auto_cursor where day = ${day}::date + 1), false) as over`)
      .catch(() => [])
    if (row?.over === true) return
    if (performance.now() > until) throw new Error(`the night after ${day} is not over after ${NIGHT_WITHIN_MS / 1000} s`)
    await sleep(25)
  }
}

/** Changes the gateway's webhooks for a while, during many payments. */
const webhooks =
  (faults: Readonly<Record<string, unknown>>, also?: Fault): Fault =>
  async (context) => {
    const { gateway, load, system } = context
    await gateway.patiently({ path: '/__sandbox/faults', body: faults })
    load.press({ rush: true, topupsFirst: true })
    await sleep(250)
    const injected = also === undefined ? await at(() => undefined)(context) : await also(context)
    await sleep(250)
    await system.databaseBack()
    await system.servers.revive()
    await gateway.patiently({ path: '/__sandbox/faults', body: {} })
    return injected
  }

/** Waits until the processes are gone: only then can they be restarted. */
const killServer = at(async ({ system, dice }) => {
  const victims = system.servers.victims(dice)
  for (const { pid } of victims) signal(pid, 'SIGKILL')
  await Promise.all(victims.map(({ ended }) => ended))
})
const killPostmaster = at(({ system }) => signal(system.databasePids()[0] as number, 'SIGKILL'))
const cutAll = at(({ system }) => void system.proxy.cutAll())

/** By name, the most expensive last. */
export const FAULTS = {
  'cut-before-send': cutting('before-send'),
  'cut-after-send': cutting('after-send'),
  'cut-after-commit': cutting('after-commit'),
  'cut-all': cutAll,
  'backend-end': at(async ({ system }) => {
    await system.db.query(sql`select pg_terminate_backend(${(await system.busyBackend()) ?? 0}::int)`)
  }),
  'backend-pause': pausing(async ({ system }) => [await system.busyBackend()].filter((pid) => pid !== undefined), 700),
  'server-pause': pausing(async ({ system, dice }) => system.servers.victims(dice).map(({ pid }) => pid), 700),
  'webhooks-duplicated': webhooks({ duplicate: 4 }),
  'webhooks-shuffled': webhooks({ duplicate: 2, shuffle: true, delayMs: 400 }),
  'webhooks-tampered': webhooks({ tamper: true, duplicate: 1 }),
  'webhooks-late': webhooks({ delayMs: 1500 }),
  'webhooks-lost': webhooks({ lose: true }),
  'webhooks-early': async (context) => {
    const inFlight = await aim(context)
    const endedAt = performance.now()
    return inFlight !== undefined && (await earlyWebhooks(context.system, context.calls)) ? { inFlight, endedAt } : undefined
  },
  'webhooks-cut': webhooks({ duplicate: 3, shuffle: true }, cutting('after-commit')),
  'backend-kill': at(async ({ system }) => {
    const pid = await system.busyBackend()
    if (pid !== undefined) signal(pid, 'SIGKILL')
  }),
  'midnight-passes': night('passes'),
  'midnight-jumps': night('jumps'),
  'midnight-cut': night('passes', cutting('after-commit')),
  'server-kill': killServer,
  'midnight-server-kill': night('passes', killServer),
  'postmaster-kill': killPostmaster,
  'machine-kill': at(async ({ system }) => {
    const servers = system.servers.all()
    for (const pid of [...servers.map((server) => server.pid), ...system.databasePids()]) signal(pid, 'SIGKILL')
    await Promise.all(servers.map(({ ended }) => ended))
  }),
  'disk-full': fillDisk,
} as const satisfies Readonly<Record<string, Fault>>

export type Kind = keyof typeof FAULTS
export const KINDS = Object.keys(FAULTS) as Kind[]
