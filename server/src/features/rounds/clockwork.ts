/**
 * The clockwork of rounds: makes them a day ahead, closes, draws and settles them, seals their days, and runs Auto Participate.
 *
 * - `due` runs each due portion once, in its own transactions, which may be repeated.
 * - A lock in the database admits one worker at a time; the list and Auto Participate have locks of their own.
 * - Days are closed in order. A day that was missed completely ends void, so that nobody is charged for it.
 * - A failed portion does not block the others, and a failed day does not block other days. It is retried ever more rarely
 *   and then parked (jobs/parking.ts).
 * - Only a failed close or a list without its seal blocks the later closes, because the log takes days in order.
 */
import { randomUUID } from 'node:crypto'
import { type IstDay, nextDay } from '@roz/core/ist-day.ts'
import type { SplitPolicy } from '@roz/core/split.ts'
import { type Db, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { type Attempt, errorText, isResting, type Work } from '../../jobs/parking.ts'
import { enqueue } from '../../jobs/queue.ts'
import { runAutoJoin } from '../../ledger/auto-join.ts'
import { inClockwork } from '../../ledger/round-lock.ts'
import { closeRound } from '../../ledger/rounds.ts'
import { sealDay } from '../../ledger/seal-day.ts'
import { returnRupees, settleRound } from '../../ledger/settlement.ts'
import type { Draws } from './draw.ts'
import { tellDevices, tellReturned, tellWinners } from './notices.ts'

type ClockworkDeps = {
  readonly db: Db
  readonly draws: Draws
  /** The split of rounds made from now on. */
  readonly policy: SplitPolicy
  readonly attempt: Attempt
}

/** The most missed days in one transaction, so that a long outage does not become a long lock. */
const MISSED_AT_ONCE = 30

/** `run` returns `busy` when the portion could not finish now; the next tick continues it. */
type Portion = { readonly work: Work; readonly item: string; readonly run: () => Promise<unknown> }
type Plan = {
  readonly today: IstDay
  /** The newest round made. */
  readonly newest: IstDay | null
  /**
   * The oldest day for each portion. `overdue`: over and still open, if no earlier list waits for its seal.
   * `drawable`: sealed, and its randomness is known. `drawn`: drawn and not settled.
   */
  readonly overdue: IstDay | null
  readonly drawable: IstDay | null
  readonly drawn: IstDay | null
  /** The oldest void round whose rupees are being returned. */
  readonly returning: IstDay | null
  /** A closed list waits for its seal: days are sealed in order. */
  readonly isSealing: boolean
  /** The oldest list that waits and needs no beacon. With a beacon the draws seal, once its clock and ours agree. */
  readonly sealable: IstDay | null
  readonly unsealed: IstDay | null
  readonly autoJoin: boolean
  /** These portions failed recently and wait for their next try. The plan itself leaves out resting days of the other portions. */
  readonly closeRests: boolean
  readonly makeRests: boolean
}

const DAY_TEXT = sql`day::text`

const readPlan = (db: Db): Promise<Plan> =>
  db.one<Plan>(sql`
    with unfinished as materialized (
      select day, status, closes_at, root, mode, chain_hash, beacon_round, return_day from round where status in ('open', 'closed', 'drawn'))
    select ist_day(roz_now()) as today,
      (select max(day) from round) as newest,
      (select min(day) from unfinished where status = 'open' and closes_at <= roz_now()
          and not exists (select from unfinished where status = 'closed' and root is null)) as overdue,
      (select min(day) from unfinished u where status = 'closed' and root is not null and return_day is null and (mode = 'local'
          or exists (select from beacon_signature s where s.chain_hash = u.chain_hash and s.round = u.beacon_round))
          and not ${isResting('draw', DAY_TEXT)}) as drawable,
      exists (select from unfinished where status = 'closed' and root is null) as "isSealing",
      (select min(day) from unfinished where status = 'closed' and root is null and mode = 'local' and not ${isResting('seal_list', DAY_TEXT)}) as sealable,
      (select min(day) from unfinished where status = 'drawn' and not ${isResting('settle', DAY_TEXT)}) as drawn,
      (select min(day) from unfinished where return_day is not null and not ${isResting('give_back', DAY_TEXT)}) as returning,
      (select min(day) from ledger_day where sealed_at is null and day < ist_day(roz_now())
          and not exists (select from unfinished where return_day <= ledger_day.day) and not ${isResting('seal_day', DAY_TEXT)}) as unsealed,
      exists (select from unfinished where day = ist_day(roz_now()) and status = 'open')
        and (not exists (select from auto_join_told where day = ist_day(roz_now())) or exists (
          select from auto_skip where day = ist_day(roz_now()) and reason = 'busy'
             and not ${isResting('auto_join', sql`${DAY_TEXT} || ' member ' || member_id`)}))
        and not ${isResting('auto_join', sql`ist_day(roz_now())::text`)} as "autoJoin",
      exists (select from unfinished u where status = 'open' and closes_at <= roz_now() and ${isResting('close', sql`u.day::text`)}) as "closeRests",
      ${isResting('make', sql`'rounds'`)} as "makeRests"`)

/** Seals a day's ledger if possible. A failure does not undo the close: the portion `seal_day` tries again. */
async function sealIfPossible(tx: Tx, day: IstDay): Promise<void> {
  await tx.query(sql`savepoint before_seal`)
  try {
    await sealDay(tx, day)
  } catch {
    await tx.query(sql`rollback to savepoint before_seal`)
  }
}

/** Whether all earlier days are done for now. */
const isSettled = (plan: Plan): boolean =>
  (plan.overdue === null || plan.closeRests) && plan.sealable === null && plan.drawable === null && plan.drawn === null

export type Clockwork = ReturnType<typeof createClockwork>

export function createClockwork({ db, draws, policy, attempt }: ClockworkDeps) {
  /** Closes a round that is over, or today's before its time; an empty one ends void. */
  async function close(tx: Tx, day: IstDay, options: { readonly early: boolean }) {
    const closed = await closeRound(tx, day, options)
    if (!closed.ok || closed.value.already) return closed
    if (closed.value.entries === 0) await draws.endEmpty(tx, day)
    else await enqueue(tx, { kind: 'tell_low_balance', key: `${day}:close`, payload: { day } })
    // After a regular close the day is over too: nothing can be posted into it any more.
    if (!options.early) await sealIfPossible(tx, day)
    return closed
  }

  async function settle(tx: Tx, day: IstDay): Promise<void> {
    const settled = await settleRound(tx, day)
    if (!settled.ok) throw new Error(`round ${day} cannot be settled: ${settled.code}`)
    if (settled.value.already) return
    await enqueue(tx, { kind: 'draft_story', key: day, payload: { day } })
    await tellWinners(tx, day, settled.value.winners)
    await tellDevices(tx, day)
  }

  /** Gives a page back. Throws, after the commit, if only members are left for whom that fails: the day is then tried again later. */
  async function giveBack(day: IstDay): Promise<void> {
    const page = await inClockwork(db, (tx) => returnRupees(tx, day, undefined, (range) => tellReturned(tx, day, range)))
    if (!page.ok) throw new Error(`the rupees of round ${day} cannot be given back: ${page.code}`)
    const { failing } = page.value
    const [first] = failing
    if (first !== undefined)
      throw new Error(`${failing.length} rupees cannot be given back: member ${first.memberId}: ${errorText(first.error)}`)
  }

  /** Makes rounds up to tomorrow's. A day that passed before its round was made ends void at once. */
  async function makeRounds(tx: Tx): Promise<void> {
    const { today, newest } = await tx.one<{ today: IstDay; newest: IstDay | null }>(
      sql`select ist_day(roz_now()) as today, (select max(day) from round) as newest`,
    )
    let day = newest === null ? today : nextDay(newest)
    for (let made = 0; made < MISSED_AT_ONCE && day <= nextDay(today); made++, day = nextDay(day)) {
      await draws.open(tx, day, policy)
      if (day < today) await close(tx, day, { early: false })
    }
    // No member has Auto Participate on: mark today done. A member who opts in later today joins from the next midnight on.
    await tx.query(sql`
      insert into auto_join_told (day) select ${today}::date where not exists (select from wallet where auto_join) on conflict do nothing`)
  }

  async function autoJoin(day: IstDay): Promise<'done' | 'closed' | 'busy'> {
    // Without the clockwork's lock: pages take their own. A round that is closed meanwhile is no fault.
    const { state } = await runAutoJoin(db, day, { attempt })
    if (state !== 'done') return state
    await inClockwork(db, async (tx) => {
      // Each run has its own key, because a later run may join or skip other members. Nobody is told twice.
      const key = `${day}:${randomUUID()}`
      await enqueue(tx, { kind: 'tell_skipped', key, payload: { day } })
      await enqueue(tx, { kind: 'tell_low_balance', key, payload: { day } })
      await tx.query(sql`insert into auto_join_told (day) values (${day}::date) on conflict do nothing`)
    })
    return state
  }

  /** The due portions of a plan, in the order of a day's life. */
  function portions(plan: Plan): Portion[] {
    const { today, newest, overdue, sealable, drawable, drawn, returning, unsealed, isSealing } = plan
    const due: Portion[] = []
    const step = (work: Work, item: string, run: (tx: Tx) => Promise<unknown>): void => {
      due.push({ work, item, run: () => inClockwork(db, run) })
    }
    if (overdue !== null && !plan.closeRests) step('close', overdue, (tx) => close(tx, overdue, { early: false }))
    // Missed days end void as they are made, but only after the earlier open round is closed: the log closes days in order.
    const inOrder = (overdue === null && !isSealing) || (newest !== null && newest >= today)
    if (inOrder && !plan.makeRests && (newest === null || newest < nextDay(today))) step('make', 'rounds', makeRounds)
    // The list is written outside of the clockwork's lock.
    if (sealable !== null) due.push({ work: 'seal_list', item: sealable, run: async () => (await draws.sealClosed()) || 'busy' })
    if (drawable !== null) step('draw', drawable, (tx) => draws.draw(tx, drawable))
    if (drawn !== null) step('settle', drawn, (tx) => settle(tx, drawn))
    if (returning !== null) due.push({ work: 'give_back', item: returning, run: () => giveBack(returning) })
    // Refused while its round is open: its close waits for an earlier list.
    if (unsealed !== null && unsealed !== overdue) step('seal_day', unsealed, async (tx) => (await sealDay(tx, unsealed)).ok || 'busy')
    return due
  }

  return {
    close,
    settle,
    draw: (tx: Tx, day: IstDay): Promise<void> => draws.draw(tx, day),
    sealClosed: draws.sealClosed,

    /** Runs each due portion once; returns whether any was done. */
    async due(): Promise<boolean> {
      const plan = await readPlan(db)
      let done = 0
      let failed = 0
      const take = async ({ work, item, run }: Portion): Promise<void> => {
        const tried = await attempt(work, item, run)
        if (!tried.ok) failed++
        else if (tried.value !== 'busy') done++
      }
      for (const portion of portions(plan)) await take(portion)
      // With the local draw yesterday's prizes are paid before today's joins, so that a prize can pay for a join. A draw that fails
      // repeatedly or waits for its beacon delays no join, because its item is paused. A single lost connection does not pause an item.
      if (plan.autoJoin && (isSettled(plan) || (failed > 0 && isSettled(await readPlan(db))))) {
        await take({ work: 'auto_join', item: plan.today, run: () => autoJoin(plan.today) })
      }
      return done > 0
    },

    /** Closes every round that is over, oldest first, before an administrator's action. */
    async closeOverdue(): Promise<void> {
      for (let plan = await readPlan(db); plan.overdue !== null; plan = await readPlan(db)) {
        const { overdue } = plan
        await inClockwork(db, (tx) => close(tx, overdue, { early: false }))
        await draws.sealClosed({ waits: true })
      }
    },
  }
}
