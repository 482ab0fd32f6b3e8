/** Calls of the portal's day: batch approvals, the to-do list, figures over time, every round. */
import { siteFigure } from '@roz/core/site-fields.ts'
import { videoUrl } from '@roz/core/story-fields.ts'
import { z } from 'zod'
import { staffCall, tableCall } from './endpoint.ts'
import { refundState, withdrawalState } from './payouts.ts'
import { EDITORS, READERS, STAFF, TREASURY } from './roles.ts'
import { roundStatus } from './rounds.ts'
import { count, day, instant, nextCursor, page, rupees, seen } from './shapes.ts'

/** How one row of several approvals ended. */
export const approvedRow = z.object({
  id: z.string(),
  status: z.string().nullable().meta({ description: 'The new state; null if it was not approved' }),
  code: z.string().nullable().meta({ description: 'The refusal of this row; `internal`: unknown, look at it again' }),
  message: z.string().nullable(),
})
/** The text `rows_many` names it. */
const APPROVED_AT_ONCE = 50
const rowsOf = <S extends z.ZodType>(status: S) =>
  z.strictObject({
    rows: z
      .array(z.strictObject({ id: z.string().max(100), status, seen }), 'wrong_type')
      .min(1, 'fill_all')
      .max(APPROVED_AT_ONCE, 'rows_many'),
  })

/** Every day's round is read by the roles that read money, and by editors, who tell of it. */
const ROUND_READERS = [...READERS, 'editor'] as const

/** `help_waiting`: days of which a share of help waits too long, as the to-do list counts them. */
const roundsNarrowing = {
  status: z.enum([...roundStatus.options, 'help_waiting'], 'choice_invalid').optional(),
  q: z.string().max(200).optional(),
}

const todoCode = z.enum([
  'withdrawals',
  'withdrawals_second',
  'payouts_by_hand',
  'refunds',
  'refunds_second',
  'failed_payouts',
  'failed_refunds',
  'transfers',
  'transfers_second',
  'suspense',
  'disputes',
  'autopay_late',
  'autopay_unknown',
  'autopay_uncancelled',
  'settlements',
  'findings',
  'stories',
  'stories_language',
  'help_cases',
  'help_language',
  'untold_help',
  'unconfirmed_help',
  'not_received_help',
  'follow_ups',
  'help_waiting',
  'outlays',
  'house_entries',
  'messages',
  'audit',
  'jobs',
])
const todoItem = z.object({
  code: todoCode,
  count: z.int().min(1),
  oldest: instant.nullable().meta({ description: 'Since when the oldest waits' }),
  answerBy: instant.nullable().meta({ description: 'Disputes: the earliest date by which a bank needs our answer, if one was named' }),
  isLate: z.boolean(),
})
const figure = z.object({
  day,
  members: count.meta({ description: 'Accounts at the end of the day, confirmed or not' }),
  joined: count.meta({ description: 'Members of the round' }),
  pool: rupees,
  setAside: rupees.nullable().meta({ description: 'Need share of the settled round; null while the round is not settled' }),
  given: rupees.meta({ description: 'Disbursed on this day, less what came back' }),
})
const listedRound = z.object({
  day,
  status: roundStatus,
  entries: count,
  pool: rupees,
  split: z.object({ need: rupees, reward: rupees, platform: rupees }).nullable(),
  winners: count,
  closedAt: instant.nullable(),
  root: z.string().nullable().meta({ description: 'Root of the sealed list' }),
  beacon: z.object({ mode: z.enum(['local', 'drand']), round: count.nullable(), hasNumber: z.boolean() }),
  witnesses: z.object({
    quorum: count,
    assurance: z.enum(['weak', 'sealed']).nullable().meta({ description: 'null until the proof is final' }),
  }),
  drawnAt: instant.nullable(),
  endedAt: instant.nullable(),
  books: z.enum(['published', 'held', 'waiting']),
  waitsFor: z.array(z.enum(['close', 'seal', 'number', 'draw', 'settlement', 'returns', 'witnesses', 'books', 'books_held'])),
  problem: z.string().nullable().meta({ description: 'The error of the work on this day that fails, in English' }),
})

const site = z.object({
  people: z.string(),
  contributors: z.string(),
  howItWorksVideo: z.string().meta({ description: 'A YouTube link; empty: no video' }),
})

export const deskCalls = {
  adminTodo: staffCall('GET /admin/todo', {
    roles: STAFF,
    summary:
      'The to-do list of the role: for each kind of work its count, its oldest item, and whether it is late. Own requests are left out.',
    output: z.object({ todo: z.array(todoItem) }),
    refusals: [],
  }),
  adminFigures: staffCall('GET /admin/figures', {
    roles: STAFF,
    summary: 'Members, pool and help of each of the last 30, 90 or 365 days, the oldest first.',
    query: z.object({ days: z.enum(['30', '90', '365'], 'choice_invalid').default('30') }),
    output: z.object({ figures: z.array(figure) }),
    refusals: [],
  }),
  adminRounds: staffCall('GET /admin/rounds', {
    roles: ROUND_READERS,
    summary:
      'Every round, newest first, with its seal, beacon, witnesses, result, books and what it waits for; q searches the day (`2026-11`).',
    query: z.object({ ...page.shape, ...roundsNarrowing }),
    output: z.object({ rounds: z.array(listedRound), nextCursor }),
    refusals: [],
  }),
  adminRoundsCsv: tableCall('/admin/rounds.csv', 'The rounds', { roles: ROUND_READERS, query: z.object(roundsNarrowing) }),
  adminSite: staffCall('GET /admin/site', {
    roles: STAFF,
    summary: 'The marketing figures and the How it works video of the public pages.',
    output: z.object({ site }),
    refusals: [],
  }),
  editSite: staffCall('PUT /admin/site', {
    roles: EDITORS,
    summary: 'Changes the marketing figures and the How it works video; public pages show them with the next request.',
    body: z.strictObject({ people: siteFigure, contributors: siteFigure, howItWorksVideo: videoUrl }),
    output: z.object({ site }),
    refusals: [],
  }),
  approveWithdrawals: staffCall('POST /admin/withdrawals/approve', {
    roles: TREASURY,
    stepUp: true,
    summary: 'Approves up to 50 withdrawals. Each is a separate decision on the state that was seen; the answer has the result of each.',
    body: rowsOf(withdrawalState),
    output: z.object({ results: z.array(approvedRow) }),
    refusals: ['idempotency_mismatch'],
  }),
  approveRefunds: staffCall('POST /admin/refunds/approve', {
    roles: TREASURY,
    stepUp: true,
    summary: 'Approves up to 50 refunds. Each is a separate decision on the state that was seen; the answer has the result of each.',
    body: rowsOf(refundState),
    output: z.object({ results: z.array(approvedRow) }),
    refusals: ['idempotency_mismatch'],
  }),
} as const
