/**
 * What the clock brings: rounds are made a day ahead, closed, drawn, settled and their days sealed,
 * and Auto Participate joins its members. Invariants: `due` does one portion, each in transactions of
 * its own that may be run again; one worker at a time by a lock in the database; days are closed in
 * order, and a day that was wholly missed ends void, so that nobody is charged for it; a portion that
 * fails holds up no other, and a day that fails no other day: it rests ever longer and is parked
 * (jobs/parking.ts). Only its close holds up the closes after it, since the log takes days in order.
 */
import { type IstDay, nextDay } from '@roz/core/ist-day.ts'
import type { SplitPolicy } from '@roz/core/split.ts'
import { type Db, one, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { type Attempt, isResting, type Work } from '../../jobs/parking.ts'
import { enqueue } from '../../jobs/queue.ts'
import { runAutoJoin } from '../../ledger/auto-join.ts'
import { inClockwork } from '../../ledger/round-lock.ts'
import { closeRound, findRound, type Round } from '../../ledger/rounds.ts'
import { sealDay } from '../../ledger/seal-day.ts'
import { returnRupees, settleRound } from '../../ledger/settlement.ts'
import { tellDevices, tellLowBalance, tellReturned, tellSkipped, tellWinners } from './notices.ts'

/** What rounds need of the draw; built by the draws feature. */
export type DrawPort = {
  readonly open: (tx: Tx, day: IstDay, policy: SplitPolicy) => Promise<boolean>
  /** With a beacon the seal follows by itself, in a transaction of its own. */
  readonly seal: (tx: Tx, round: Round) => Promise<void>
  readonly sealClosed: () => Promise<boolean>
  readonly endEmpty: (tx: Tx, day: IstDay) => Promise<void>
  readonly draw: (tx: Tx, day: IstDay) => Promise<void>
}
export type ClockworkDeps = {
  readonly db: Db
  readonly draws: DrawPort
  /** The split of rounds made from now on. */
  readonly policy: SplitPolicy
  readonly attempt: Attempt
}

/** Wholly missed days that one transaction passes: a long gap is not a long lock. */
const MISSED_AT_ONCE = 30

/** `busy`: it could not be brought to an end now; the next tick goes on with it. */
type Portion = { readonly work: Work; readonly item: string; readonly run: () => Promise<unknown> }
type Plan = {
  readonly today: IstDay
  /** The newest round made. */
  readonly newest: IstDay | null
  /** The oldest round that is over and still open, if nothing before it waits for its seal; sealed, and what decides it is known; drawn and not settled. */
  readonly overdue: IstDay | null
  readonly drawable: IstDay | null
  readonly drawn: IstDay | null
  /** Its rupees are being given back. */
  readonly returning: IstDay | null
  /** A closed list waits for its seal: days are sealed in order. */
  readonly isSealing: boolean
  readonly unsealed: IstDay | null
  readonly autoJoin: boolean
  /** What failed a moment ago and waits for its next try; days that are drawn, settled or sealed are left out of the plan themselves. */
  readonly closeRests: boolean
  readonly makeRests: boolean
}

const DAY_TEXT = sql`day::text`

const readPlan = (db: Db): Promise<Plan> =>
  one<Plan>(
    db,
    sql`
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
      ${isResting('make', sql`'rounds'`)} as "makeRests"`,
  )

/** A day whose ledger cannot be sealed is closed all the same: its seal is a portion of its own, and fails there. */
async function sealIfPossible(tx: Tx, day: IstDay): Promise<void> {
  await tx.query(sql`savepoint before_seal`)
  try {
    await sealDay(tx, day)
  } catch {
    await tx.query(sql`rollback to savepoint before_seal`)
  }
}

export type Clockwork = ReturnType<typeof createClockwork>

export function createClockwork({ db, draws, policy, attempt }: ClockworkDeps) {
  /** Closes a round that is over, or today's before its time; an empty one that is over ends void. */
  async function close(tx: Tx, day: IstDay, options: { readonly early: boolean }) {
    const closed = await closeRound(tx, day, options)
    if (!closed.ok || closed.value.already) return closed
    if (closed.value.entries === 0) await draws.endEmpty(tx, day)
    else {
      await draws.seal(tx, (await findRound(tx, day)) as Round)
      await tellLowBalance(tx, day)
    }
    // Its day is over too, unless the close was early: nothing can be posted into it any more.
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

  async function giveBack(tx: Tx, day: IstDay): Promise<void> {
    const page = await returnRupees(tx, day)
    if (!page.ok) throw new Error(`the rupees of round ${day} cannot be given back: ${page.code}`)
    await tellReturned(tx, day, page.value)
  }

  /** Rounds up to tomorrow's. A day that has passed before its round was made ends void at once. */
  async function makeRounds(tx: Tx): Promise<void> {
    const { today, newest } = await one<{ today: IstDay; newest: IstDay | null }>(
      tx,
      sql`select ist_day(roz_now()) as today, (select max(day) from round) as newest`,
    )
    let day = newest === null ? today : nextDay(newest)
    for (let made = 0; made < MISSED_AT_ONCE && day <= nextDay(today); made++, day = nextDay(day)) {
      await draws.open(tx, day, policy)
      if (day < today) await close(tx, day, { early: false })
    }
    // Whom nobody is waiting for: who opts in later in the day joins from the next reset on.
    await tx.query(sql`
      insert into auto_join_told (day) select ${today}::date where not exists (select from wallet where auto_join) on conflict do nothing`)
  }

  async function autoJoin(day: IstDay): Promise<'done' | 'closed' | 'busy'> {
    // Without the lock: pages take their own, and a round that takes no more is no fault.
    const { state } = await runAutoJoin(db, day, { attempt })
    if (state !== 'done') return state
    await inClockwork(db, async (tx) => {
      await tellSkipped(tx, day)
      await tellLowBalance(tx, day)
      await tx.query(sql`insert into auto_join_told (day) values (${day}::date) on conflict do nothing`)
    })
    return state
  }

  /** The portions of a plan, in the order of a day's life. */
  function portions(plan: Plan): Portion[] {
    const { today, newest, overdue, drawable, drawn, returning, unsealed, isSealing } = plan
    const due: Portion[] = []
    const step = (work: Work, item: string, run: (tx: Tx) => Promise<unknown>): void => {
      due.push({ work, item, run: () => inClockwork(db, run) })
    }
    if (overdue !== null && !plan.closeRests) step('close', overdue, (tx) => close(tx, overdue, { early: false }))
    // Missed days end void as they are made, and only once what was open before them is closed: the log closes days in order.
    const inOrder = (overdue === null && !isSealing) || (newest !== null && newest >= today)
    if (inOrder && !plan.makeRests && (newest === null || newest < nextDay(today))) step('make', 'rounds', makeRounds)
    if (drawable !== null) step('draw', drawable, (tx) => draws.draw(tx, drawable))
    if (drawn !== null) step('settle', drawn, (tx) => settle(tx, drawn))
    if (returning !== null) step('give_back', returning, (tx) => giveBack(tx, returning))
    if (unsealed !== null && unsealed !== overdue) step('seal_day', unsealed, (tx) => sealDay(tx, unsealed))
    return due
  }

  return {
    close,
    settle,
    draw: (tx: Tx, day: IstDay): Promise<void> => draws.draw(tx, day),
    sealClosed: draws.sealClosed,

    /** Does what is due now, once each; says whether there was anything. */
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
      // Yesterday is paid before today's joining, so that a prize can pay for it; a draw that is stuck keeps nobody out.
      const settled = (plan.overdue === null || plan.closeRests) && plan.drawable === null && plan.drawn === null
      if (plan.autoJoin && (settled || failed > 0)) await take({ work: 'auto_join', item: plan.today, run: () => autoJoin(plan.today) })
      return done > 0
    },

    /** Closes every round that is over, oldest first: what an administrator does comes after it. */
    async closeOverdue(): Promise<void> {
      for (let plan = await readPlan(db); plan.overdue !== null; plan = await readPlan(db)) {
        const { overdue } = plan
        await inClockwork(db, (tx) => close(tx, overdue, { early: false }))
      }
    },
  }
}
