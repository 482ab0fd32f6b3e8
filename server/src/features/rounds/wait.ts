/**
 * Rounds that wait: for the seal of their list, and with a beacon for their random number (spec/protocol.md, chapter 4).
 *
 * - The list is written before the clocks are compared, because writing a long one takes minutes.
 * - A list is sealed only while our clock and the beacon's newest round agree. Otherwise an already published number could decide the draw.
 * - A round waits for its own beacon round and takes no other.
 * - After thirty days without the number every rupee is returned. Exception: a relay proves a later round, so the number exists.
 * - The network is asked outside of any transaction.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { FastifyBaseLogger } from 'fastify'
import { type Beacon, type BeaconChain, roundTimeMs } from '../../adapters/beacon/port.ts'
import { type Db, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { type Attempt, isResting } from '../../jobs/parking.ts'
import { inClockwork } from '../../ledger/round-lock.ts'
import { lockRound } from '../../ledger/rounds.ts'
import type { DayOfList } from '../../tickets/day-list.ts'
import { getRecord } from '../../transparency-log/records.ts'
import { sealRound } from './seal.ts'

type WaitingDeps = {
  readonly db: Db
  readonly beacon: Beacon
  /** Writes a closed day's list; false if another process is writing it. */
  readonly writeList: (list: DayOfList, options: { readonly waits: boolean }) => Promise<boolean>
  /** Ends a sealed round whose beacon number was missing for thirty days. */
  readonly endWithoutBeacon: (tx: Tx, day: IstDay) => Promise<void>
  readonly attempt: Attempt
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>
}

const DAY_TEXT = sql`day::text`
const CLOCKS_APART_MAX_MS = 30_000
/** A newest round that is still this old after the close means an outage: the list is sealed, and its draw waits for the beacon. */
const STANDSTILL_MAX_MS = 3_600_000
const VOID_AFTER_MS = 30 * 86_400_000
/** A number normally appears within seconds. From here on each attempt also asks the relays for later rounds. */
const MISSED_FROM_MS = 600_000
/** This many attempts in a row must find relays that answer and do not have the number. */
const VOID_AFTER_LOOKS = 3
/** When no relay answers, the fault may be ours: attempts must have failed for this long. */
const VOID_AFTER_SILENCE_MS = 86_400_000
/** A gap this long between attempts restarts the silence: the relays may have answered meanwhile. */
const SILENCE_GAP_MAX_MS = 3_600_000
/** An error is logged this long after the draw time, and again each time as much has passed. */
const TELL_AFTER_MS = 12 * 3_600_000
const PAUSE_MAX_MS = 60_000
const SEAL_PAUSE_MS = 5_000

type Unsealed = DayOfList & { readonly closedAt: Date }
type Unspoken = { readonly day: IstDay; readonly round: number; readonly drawAt: Date }

export function createWaiting({ db, beacon, writeList, endWithoutBeacon, attempt, log }: WaitingDeps) {
  const pauses = createPauses()
  const misses = createMisses()
  const toldMs = new Map<IstDay, number>()

  async function chainOf(day: IstDay): Promise<BeaconChain> {
    const { draw } = await getRecord(db, day, 'open')
    if (draw.mode !== 'beacon') throw new Error(`round ${day} is not drawn by a beacon`)
    return draw
  }

  /** Whether the beacon's newest round confirms our clock. When no relay answers, our own clock decides. */
  async function clocksAgree({ day, closedAt }: Unsealed): Promise<boolean> {
    const { draw } = await getRecord(db, day, 'open')
    if (draw.mode === 'local') return true
    const newest = await beacon.getNewestRound(draw)
    if (newest === undefined) {
      log.warn({ day }, 'no beacon relay answers: the list is sealed by our own clock')
      return true
    }
    const nowMs = (await db.one<{ now: Date }>(sql`select roz_now() as now`)).now.getTime()
    const aheadMs = nowMs - roundTimeMs(draw, newest)
    const isBehind = aheadMs < -CLOCKS_APART_MAX_MS
    const isAhead = aheadMs > CLOCKS_APART_MAX_MS + draw.period * 1000
    if (!isBehind && !isAhead) return true
    if (isAhead && nowMs - closedAt.getTime() > STANDSTILL_MAX_MS) return true
    log.error({ day, aheadMs }, 'our clock and the newest beacon round are more than 30 s apart: sealing waits')
    return false
  }

  /**
   * Writes and seals the oldest list that is not sealed; false when none can be sealed now.
   * With `nowMs`, failures are followed by a pause. With `waits` it waits for a process that is writing the list.
   */
  async function sealClosed({ nowMs, waits = false }: { readonly nowMs?: number; readonly waits?: boolean } = {}): Promise<boolean> {
    const waiting = await db.maybeOne<Unsealed>(
      sql`select day, entries::float8 as entries, closed_at as "closedAt" from round where status = 'closed' and root is null order by day limit 1`,
    )
    if (waiting === undefined || (nowMs !== undefined && !pauses.isOver('seal', nowMs))) return false
    if (!(await writeList(waiting, { waits }))) return false
    if (!(await clocksAgree(waiting))) {
      if (nowMs !== undefined) pauses.begin('seal', nowMs, SEAL_PAUSE_MS)
      return false
    }
    await inClockwork(db, async (tx) => {
      const round = await lockRound(tx, waiting.day)
      if (round?.status === 'closed' && round.root === null) await sealRound(tx, round)
    })
    return true
  }

  /** Whether repeated attempts show that nobody has the number. Relays that withhold one round, or were unreachable for an hour, void nothing. */
  async function isMissing(chain: BeaconChain, { day, round, drawAt }: Unspoken, nowMs: number): Promise<boolean> {
    const word = await beacon.askForLater(chain, round)
    const waitedMs = nowMs - drawAt.getTime()
    if (waitedMs - (toldMs.get(day) ?? 0) >= TELL_AFTER_MS) {
      toldMs.set(day, waitedMs)
      log.error(
        { day, round, relays: word, hours: Math.floor(waitedMs / 3_600_000) },
        'a draw waits for its beacon: after 30 days every rupee goes back',
      )
    }
    const isLong = misses.add(day, word, nowMs)
    return waitedMs >= VOID_AFTER_MS && isLong
  }

  /** Asks for one round's number; true when the round need not wait any more. */
  async function askFor(unspoken: Unspoken, nowMs: number): Promise<boolean> {
    const { day, round, drawAt } = unspoken
    const chain = await chainOf(day)
    const signature = await beacon.getSignature(chain, round)
    if (signature !== undefined) {
      await db.query(sql`
        insert into beacon_signature (chain_hash, round, signature)
        values (${Buffer.from(chain.chainHash, 'hex')}::bytea, ${round}::bigint, ${signature}::bytea) on conflict do nothing`)
      return true
    }
    if (nowMs < drawAt.getTime() + MISSED_FROM_MS || !(await isMissing(chain, unspoken, nowMs))) return false
    await inClockwork(db, async (tx) => {
      // Another process may have stored the number since.
      const hasCome = await tx.query(sql`
        select 1 from beacon_signature where chain_hash = ${Buffer.from(chain.chainHash, 'hex')}::bytea and round = ${round}::bigint`)
      if (hasCome.length === 0) await endWithoutBeacon(tx, day)
    })
    return true
  }

  return {
    sealClosed,

    async due(now: Date): Promise<boolean> {
      // One query for sealing and drawing: `due` runs every second.
      const waiting = await db.query<Unspoken & { readonly isSealed: boolean; readonly rests: boolean }>(sql`
        select day, beacon_round::float8 as round, draw_at as "drawAt", root is not null as "isSealed",
            case when root is null then ${isResting('seal_list', DAY_TEXT)} else ${isResting('beacon', DAY_TEXT)} end as rests from round r
         where status = 'closed' and return_day is null and (root is null and mode = 'drand' or beacon_round is not null and draw_at <= roz_now()
           and not exists (select from beacon_signature s where s.chain_hash = r.chain_hash and s.round = r.beacon_round))
         order by day`)
      if (waiting.length === 0) return false
      const nowMs = now.getTime()
      const unsealed = waiting.find(({ isSealed }) => !isSealed)
      // Lists are sealed in order; a list that cannot be sealed does not delay other days' draws.
      if (unsealed?.rests === false) {
        const sealed = await attempt('seal_list', unsealed.day, () => sealClosed({ nowMs }))
        if (sealed.ok && sealed.value) return true
      }
      let ended = false
      for (const unspoken of waiting.filter(({ isSealed, rests }) => isSealed && !rests)) {
        if (!pauses.isOver(unspoken.day, nowMs)) continue
        const asked = await attempt('beacon', unspoken.day, () => askFor(unspoken, nowMs))
        if (asked.ok && asked.value) ended = true
        // Often at first, because the number appears within seconds; then ever more rarely, at most a minute apart.
        else pauses.begin(unspoken.day, nowMs, Math.min(PAUSE_MAX_MS, Math.max(1000, (nowMs - unspoken.drawAt.getTime()) / 10)))
      }
      return ended
    },
  }
}

type Miss = { readonly looks: number; readonly silentSinceMs: number | undefined; readonly atMs: number }

/** Counts for each day what consecutive attempts found, by the product's clock. */
function createMisses() {
  const found = new Map<IstDay, Miss>()
  return {
    /** Records an attempt; true when the number counts as missing. */
    add(day: IstDay, word: 'later' | 'missing' | 'silent', nowMs: number): boolean {
      const before = found.get(day)
      const isInRow = before !== undefined && nowMs >= before.atMs && nowMs - before.atMs <= SILENCE_GAP_MAX_MS
      const looks = word === 'missing' ? (before?.looks ?? 0) + 1 : 0
      const silentSinceMs = word === 'silent' ? ((isInRow ? before.silentSinceMs : undefined) ?? nowMs) : undefined
      found.set(day, { looks, silentSinceMs, atMs: nowMs })
      return looks >= VOID_AFTER_LOOKS || (silentSinceMs !== undefined && nowMs - silentSinceMs >= VOID_AFTER_SILENCE_MS)
    },
  }
}

/** Pauses between attempts, by the product's clock; a clock that was set back ends every pause. */
function createPauses() {
  const untilMs = new Map<string, number>()
  return {
    isOver: (what: string, nowMs: number): boolean => {
      const until = untilMs.get(what) ?? 0
      return nowMs >= until || until - nowMs > PAUSE_MAX_MS
    },
    begin: (what: string, nowMs: number, ms: number): void => {
      untilMs.set(what, nowMs + ms)
    },
  }
}
