/**
 * The faults, one by one: each waits until deeds are in flight, strikes, and repairs its damage.
 * - A strike returns the number of deeds in flight at its moment; with none it did not happen.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { dayAt, nextDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { signal } from '@roz/server/db/embedded/process.ts'
import { sql } from '@roz/server/db/sql.ts'
import { earlyWebhooks } from './early-webhooks.ts'
import type { Load } from './load.ts'
import type { Calls } from './patient-calls.ts'
import type { Moment } from './pg-proxy.ts'
import type { Dice } from './random.ts'
import type { Stand } from './stand.ts'

export type Struck = {
  /** Deeds in flight at the moment of the strike. */
  readonly inFlight: number
  /** Recovery is measured from here: the strike, or the end of a fault that lasts. */
  readonly endedAt: number
}
/** The interface of a fault target: a stand or a cluster. */
export type Ground = Pick<Stand, 'db' | 'journal' | 'members' | 'desk' | 'now' | 'setClock' | 'databaseBack' | 'close'> & {
  readonly servers: Pick<Stand['servers'], 'url' | 'sandboxUrl' | 'revive' | 'complaints' | 'printed'>
  readonly disk?: Stand['disk']
  readonly audit?: Stand['audit']
}
export type Field<G extends Ground = Stand> = {
  readonly stand: G
  readonly load: Load
  readonly calls: Calls
  readonly gateway: Calls
  readonly dice: Dice
}
export type Strike<G extends Ground = Stand> = (field: Field<G>) => Promise<Struck | undefined>

const AIM_MS = 5000
const AIM_AGAIN_MS = 3
const CUT_WITHIN_MS = 5000
const FULL_WITHIN_MS = 6000
const NIGHT_WITHIN_MS = 30_000

/** Waits for a moment with deeds in flight, after a random delay; undefined when none came. */
export async function aim({ load, dice }: Pick<Field, 'load' | 'dice'>): Promise<number | undefined> {
  await sleep(dice.between(0, 30))
  const until = performance.now() + AIM_MS
  while (performance.now() < until) {
    if (load.inFlight() > 0) return load.inFlight()
    await sleep(AIM_AGAIN_MS)
  }
  return undefined
}

/** Strikes as soon as deeds are in flight. */
const at =
  (strike: (field: Field) => void | Promise<void>): Strike =>
  async (field) => {
    const inFlight = await aim(field)
    if (inFlight === undefined) return undefined
    const endedAt = performance.now()
    await strike(field)
    return { inFlight, endedAt }
  }

/** Stops processes with SIGSTOP and continues them. */
const pausing =
  (pidsOf: (field: Field) => Promise<readonly number[]>, maxMs: number): Strike =>
  async (field) => {
    const pids = await pidsOf(field)
    const inFlight = pids.length === 0 ? undefined : await aim(field)
    if (inFlight === undefined) return undefined
    for (const pid of pids) signal(pid, 'SIGSTOP')
    await sleep(field.dice.between(50, maxMs))
    const endedAt = performance.now()
    for (const pid of pids) signal(pid, 'SIGCONT')
    return { inFlight, endedAt }
  }

const cutting =
  (moment: Moment): Strike =>
  async ({ stand, load }) => {
    const cut = await Promise.race([stand.proxy.cutNext(moment).then(() => load.inFlight()), sleep(CUT_WITHIN_MS, undefined)])
    stand.proxy.disarm()
    if (cut === undefined || cut === 0) return undefined
    return { inFlight: cut, endedAt: performance.now() }
  }

/** Fills the disk until a call fails for it, then frees it. */
async function fillDisk(field: Field): Promise<Struck | undefined> {
  const { stand, calls, dice } = field
  const { disk } = stand
  const inFlight = disk === undefined ? undefined : await aim(field)
  if (disk === undefined || inFlight === undefined) return undefined
  const failures = (): number => [...calls.statuses().values()].reduce((sum, count) => sum + count, 0)
  const before = failures()
  disk.fill()
  const until = performance.now() + FULL_WITHIN_MS
  while (failures() === before && performance.now() < until) {
    // A new WAL file is the first to find no space.
    await stand.db.query(sql`select pg_switch_wal()`).catch(() => undefined)
    await sleep(50)
  }
  const felt = failures() > before
  if (felt) await sleep(dice.between(0, 500))
  const endedAt = performance.now()
  disk.free()
  await stand.databaseBack()
  return felt ? { inFlight, endedAt } : undefined
}

/** Midnight passes within 1 s of setting the clock just before it, or the clock jumps over it. `also` strikes around it. */
export const night =
  <G extends Ground>(how: 'passes' | 'jumps', also?: Strike<G>): Strike<G> =>
  async (field) => {
    const { stand, load, dice } = field
    const day = dayAt((await stand.now()).getTime())
    const next = nextDay(day)
    if (how === 'passes') {
      await stand.setClock(startOfDayMs(next) - 200 - dice.below(800))
      await sleep(dice.between(0, 200))
    }
    const inFlight = await aim(field)
    if (inFlight === undefined) return undefined
    if (how === 'jumps') await stand.setClock(startOfDayMs(next) + dice.below(10_000))
    load.setToday(next)
    const endedAt = performance.now()
    const struck = also === undefined ? { inFlight, endedAt } : await sleep(dice.between(0, 1200)).then(() => also(field))
    await stand.databaseBack()
    await stand.servers.revive()
    await nightIsOver(field, day)
    return struck
  }

/** Waits until yesterday is settled and today's Auto Participate is done. */
export async function nightIsOver({ stand }: { readonly stand: Ground }, day: string): Promise<void> {
  const until = performance.now() + NIGHT_WITHIN_MS
  for (;;) {
    const [row] = await stand.db
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
  (faults: Readonly<Record<string, unknown>>, also?: Strike): Strike =>
  async (field) => {
    const { gateway, load, stand } = field
    await gateway.patiently({ path: '/__sandbox/faults', body: faults })
    load.press({ rush: true, topupsFirst: true })
    await sleep(250)
    const struck = also === undefined ? await at(() => undefined)(field) : await also(field)
    await sleep(250)
    await stand.databaseBack()
    await stand.servers.revive()
    await gateway.patiently({ path: '/__sandbox/faults', body: {} })
    return struck
  }

/** Waits until the processes are gone: only then can they be restarted. */
const killServer = at(async ({ stand, dice }) => {
  const victims = stand.servers.victims(dice)
  for (const { pid } of victims) signal(pid, 'SIGKILL')
  await Promise.all(victims.map(({ ended }) => ended))
})
const killPostmaster = at(({ stand }) => signal(stand.databasePids()[0] as number, 'SIGKILL'))
const cutAll = at(({ stand }) => void stand.proxy.cutAll())

/** By name, the most expensive last. */
export const STRIKES = {
  'cut-before-send': cutting('before-send'),
  'cut-after-send': cutting('after-send'),
  'cut-after-commit': cutting('after-commit'),
  'cut-all': cutAll,
  'backend-end': at(async ({ stand }) => {
    await stand.db.query(sql`select pg_terminate_backend(${(await stand.busyBackend()) ?? 0}::int)`)
  }),
  'backend-pause': pausing(async ({ stand }) => [await stand.busyBackend()].filter((pid) => pid !== undefined), 700),
  'server-pause': pausing(async ({ stand, dice }) => stand.servers.victims(dice).map(({ pid }) => pid), 700),
  'webhooks-duplicated': webhooks({ duplicate: 4 }),
  'webhooks-shuffled': webhooks({ duplicate: 2, shuffle: true, delayMs: 400 }),
  'webhooks-tampered': webhooks({ tamper: true, duplicate: 1 }),
  'webhooks-late': webhooks({ delayMs: 1500 }),
  'webhooks-lost': webhooks({ lose: true }),
  'webhooks-early': async (field) => {
    const inFlight = await aim(field)
    const endedAt = performance.now()
    return inFlight !== undefined && (await earlyWebhooks(field.stand, field.calls)) ? { inFlight, endedAt } : undefined
  },
  'webhooks-cut': webhooks({ duplicate: 3, shuffle: true }, cutting('after-commit')),
  'backend-kill': at(async ({ stand }) => {
    const pid = await stand.busyBackend()
    if (pid !== undefined) signal(pid, 'SIGKILL')
  }),
  'midnight-passes': night('passes'),
  'midnight-jumps': night('jumps'),
  'midnight-cut': night('passes', cutting('after-commit')),
  'server-kill': killServer,
  'midnight-server-kill': night('passes', killServer),
  'postmaster-kill': killPostmaster,
  'machine-kill': at(async ({ stand }) => {
    const servers = stand.servers.all()
    for (const pid of [...servers.map((server) => server.pid), ...stand.databasePids()]) signal(pid, 'SIGKILL')
    await Promise.all(servers.map(({ ended }) => ended))
  }),
  'disk-full': fillDisk,
} as const satisfies Readonly<Record<string, Strike>>

export type Kind = keyof typeof STRIKES
export const KINDS = Object.keys(STRIKES) as Kind[]
