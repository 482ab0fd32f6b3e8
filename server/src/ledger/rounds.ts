/**
 * Rounds, from making to sealing.
 * - A round is made once, ahead of its day.
 * - Closing locks the round, which waits for joins in flight, and counts in a later statement. The count freezes the entries.
 * - A second run of any step changes nothing.
 */
import { endOfDayMs, type IstDay, startOfDayMs } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import type { RoundStatus } from '@roz/core/round.ts'
import type { SplitPolicy } from '@roz/core/split.ts'
import { type Queryable, type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'

/** Whether the operator's own server made the random number of a day's draw. `day` is a column. */
export const isDemoSql = (day: Sql): Sql => sql`coalesce((select made.mode = 'local' from round made where made.day = ${day}), false)`
/** The winners of a day besides the first. */
export const otherWinnersSql = (day: Sql): Sql =>
  sql`(select count(*) from draw_winner other where other.day = ${day} and other.rank > 1)::float8`

/** The tax withheld from the reward of the day's first winner. */
export const firstTaxSql = (day: Sql): Sql =>
  sql`coalesce((select taxed.tax from draw_winner taxed where taxed.day = ${day} and taxed.rank = 1), 0)::bigint`

/** Whether nobody can join today though rounds are made: today has neither an open round nor a round closed before its time. */
export const NO_ROUND_TODAY = sql`(exists (select from round) and not exists (
  select from round where day = ist_day(roz_now()) and (status = 'open' or closes_at < start_of_ist_day(day + 1))))`

export type Round = {
  readonly day: IstDay
  readonly status: RoundStatus
  readonly policy: SplitPolicy
  readonly opensAt: Date
  readonly closesAt: Date
  readonly mode: 'local' | 'drand'
  readonly secretHash: Buffer | null
  readonly encryptedSecret: Buffer | null
  readonly closedAt: Date | null
  readonly entries: number | null
  readonly pool: Paise | null
  readonly root: Buffer | null
  readonly sealedAt: Date | null
  readonly drawAt: Date | null
  /** In mode `drand`: the beacon's round that the draw waits for. */
  readonly beaconRound: number | null
  readonly randomness: Buffer | null
  readonly seed: Buffer | null
  readonly drawnAt: Date | null
  readonly needPaise: Paise | null
  readonly rewardPaise: Paise | null
  readonly taxPaise: Paise | null
  readonly settledAt: Date | null
  /** For a void round with entries: the day of its returns, set by the decision. */
  readonly returnDay: IstDay | null
}

/** A round's columns under the names of `Round`. Append the rest of the statement. */
export const ROUND_COLUMNS: Sql = sql`
  day, status, json_build_object('name', policy, 'need', need, 'reward', reward, 'platform', platform, 'winners', winners) as policy,
  opens_at as "opensAt", closes_at as "closesAt", mode, secret_hash as "secretHash", sealed_secret as "encryptedSecret",
  closed_at as "closedAt", entries::float8 as entries, pool, root, sealed_at as "sealedAt", draw_at as "drawAt",
  beacon_round::float8 as "beaconRound", randomness, seed, drawn_at as "drawnAt",
  need_paise as "needPaise", reward_paise as "rewardPaise", tax_paise as "taxPaise",
  settled_at as "settledAt", return_day as "returnDay"`

export const findRound = (from: Queryable, day: IstDay): Promise<Round | undefined> =>
  from.maybeOne<Round>(sql`select ${ROUND_COLUMNS} from round where day = ${day}::date`)

export const lockRound = (tx: Tx, day: IstDay): Promise<Round | undefined> =>
  tx.maybeOne<Round>(sql`select ${ROUND_COLUMNS} from round where day = ${day}::date for update`)

type NewRound = {
  readonly day: IstDay
  readonly policy: SplitPolicy
  readonly mode: 'local' | 'drand'
  /** In mode `local`: H(S), and S encrypted. */
  readonly secretHash?: Buffer | undefined
  readonly encryptedSecret?: Buffer | undefined
  /** In mode `drand`: the beacon's chain. */
  readonly chainHash?: Buffer | undefined
}

/** Makes a day's round, its month's partition of joins and its day fence. False: the round exists and is unchanged. */
export async function makeRound(tx: Tx, round: NewRound): Promise<boolean> {
  const { day, policy } = round
  await tx.query(sql`select make_join_month(${day}::date)`)
  await tx.query(sql`insert into ledger_day (day) values (${day}::date) on conflict do nothing`)
  const made = await tx.query(sql`
    insert into round (day, policy, need, reward, platform, winners, opens_at, closes_at, mode, secret_hash, sealed_secret, chain_hash)
        values (${day}::date, ${policy.name}::text, ${policy.need}::smallint, ${policy.reward}::smallint, ${policy.platform}::smallint,
                ${policy.winners}::int, ${new Date(startOfDayMs(day))}::timestamptz, ${new Date(endOfDayMs(day))}::timestamptz,
                ${round.mode}::text, ${round.secretHash ?? null}::bytea, ${round.encryptedSecret ?? null}::bytea,
                ${round.chainHash ?? null}::bytea)
        on conflict (day) do nothing returning day`)
  return made.length === 1
}

type ClosedRound = {
  readonly entries: number
  readonly pool: Paise
  /** The round was closed before; this call changed nothing. */
  readonly already: boolean
}
/** `too_early`: the round has not opened, or is not over and no early close was requested. */
type CloseRefusal = 'round_not_found' | 'too_early' | 'no_participants'

/** `early`: an administrator ends the round now. An early close of an empty round is refused. */
export async function closeRound(
  tx: Tx,
  day: IstDay,
  options: { readonly early?: boolean } = {},
): Promise<Outcome<ClosedRound, CloseRefusal>> {
  const round = await lockRound(tx, day)
  if (round === undefined) return refused('round_not_found')
  if (round.entries !== null && round.pool !== null) return accepted({ entries: round.entries, pool: round.pool, already: true })
  const early = options.early ?? false
  // A later statement than the lock: its snapshot sees every join that the lock waited for.
  const count = await tx.one<{ opened: boolean; over: boolean; entries: bigint; batched: bigint }>(sql`
    select roz_now() > r.opens_at as opened, roz_now() >= r.closes_at as over,
               (select count(*) from round_join where day = ${day}::date) as entries,
               (select coalesce(sum(n), 0)::bigint from join_batch where day = ${day}::date) as batched
          from round r where r.day = ${day}::date`)
  if (!count.over && !(early && count.opened)) return refused('too_early')
  if (count.entries !== count.batched) throw new Error(`round ${day}: ${count.entries} joins, but ${count.batched} in batches`)
  if (!count.over && count.entries === 0n) return refused('no_participants')
  const closed = await tx.one<{ entries: bigint; pool: Paise }>(
    // Reads the clock once, so that `closed_at` and `closes_at` of an early close are equal.
    sql`with clock as materialized (select roz_now() as now)
        update round set status = 'closed', closed_at = clock.now, closes_at = least(closes_at, clock.now),
               entries = ${count.entries}::bigint, pool = ${count.entries}::bigint * entry_fee()
          from clock where day = ${day}::date returning entries, pool`,
  )
  return accepted({ entries: Number(closed.entries), pool: closed.pool, already: false })
}

type Seal = {
  readonly root: Buffer
  readonly drawAt: Date
  readonly sealedAt?: Date
  readonly beaconRound?: number | undefined
}

/** Whether the round ends without a draw: the decision is logged, and the rupees are given back. */
export const isGivenUp = ({ status, returnDay }: Round): boolean => status === 'void' || returnDay !== null

/** Records the root of the frozen entries and the time of the draw. A second call must name the same root. */
export async function recordSeal(tx: Tx, day: IstDay, seal: Seal): Promise<void> {
  const round = await lockRound(tx, day)
  if (round?.root?.equals(seal.root) === true) return
  if (round?.status !== 'closed' || round.root !== null) throw new Error(`round ${day} is not closed, or was sealed with another root`)
  await tx.query(sql`
    update round set root = ${seal.root}::bytea, draw_at = ${seal.drawAt}::timestamptz, sealed_at = ${seal.sealedAt ?? seal.drawAt}::timestamptz,
               beacon_round = ${seal.beaconRound ?? null}::bigint
         where day = ${day}::date`)
}
