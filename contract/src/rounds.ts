/** Calls of rounds: joining, the current round, history, the administrator's draw. */
import { rupeeAmount, ticketKey } from '@roz/core/fields.ts'
import { LANGUAGES } from '@roz/core/language.ts'
import { z } from 'zod'
import { endpoint, staffCall } from './endpoint.ts'
import { receipt } from './open-books.ts'
import { TREASURY } from './roles.ts'
import { rupeeTrail } from './rupee.ts'
import { count, day, drawn, instant, namedWinner, newer, nextCursor, page, rupees } from './shapes.ts'

export const roundStatus = z.enum(['open', 'closed', 'drawn', 'settled', 'void'], 'choice_invalid')
/** A server of the previous release answers without `winners`. */
const split = z
  .object({ need: z.number(), reward: z.number(), platform: z.number(), winners: count.optional() })
  .meta({ description: 'Percent of the pool, and how many members share the reward: 0 where the round has none' })

/** The split of the specification's round card. */
const SPLIT = { need: 60, reward: 30, platform: 10 } as const
/** A round as everybody sees it. The web derives the day and the chance where an older server does not send them. */
const round = z.object({
  id: newer(day),
  status: newer(roundStatus, { absent: 'open' }),
  totalParticipants: count,
  totalAmount: rupees,
  endTime: instant,
  split: newer(split, { absent: SPLIT }),
  winChance: newer(
    z
      .int()
      .min(1)
      .nullable()
      .meta({ description: 'The N of "1 in N", rounded up where several share the reward; null where the round has none' }),
  ),
  /** A server of the previous release answers without it. */
  chance: z
    .object({ wins: count, of: count })
    .nullable()
    .optional()
    .meta({ description: 'The chance of one entry, the reader’s own included: `wins` in `of`; null where the round has no reward' }),
  drawAt: instant.nullable(),
})

const ticket = z.object({
  day,
  ticket: z.string().regex(/^[0-9a-f]{64}$/),
  receipt,
})

export const historyItem = z.object({
  id: day,
  date: day,
  status: newer(roundStatus, { absent: 'settled' }),
  participated: z.boolean(),
  isWinner: z.boolean(),
  totalParticipants: count,
  totalAmount: rupees,
  prizeAmount: rupees,
  charityAmount: rupees,
  winner: z.object({ name: z.string(), ...drawn }).nullable(),
  rupee: rupeeTrail,
})

export const roundCalls = {
  joinRound: endpoint('POST /rounds/join', {
    access: 'verified',
    summary: "Puts one rupee into today's round.",
    body: z.strictObject({ ticketKey: z.optional(ticketKey) }).default({}),
    output: z.object({ balance: rupees, ticket: newer(ticket) }),
    refusals: [
      'already_joined',
      'round_closed',
      'yearly_maximum',
      'insufficient_balance',
      'ticket_key_taken',
      'overloaded',
      'idempotency_mismatch',
      'forbidden',
      'on_hold',
      'cannot_join',
    ],
  }),
  currentRound: endpoint('GET /rounds/current', {
    access: 'anyone',
    summary:
      "Today's round, with the latest story, and the latest winner if the latest round had one. A visitor gets only the day of a story about a helped person.",
    output: z.object({
      ...round.shape,
      hasParticipated: z.boolean(),
      lastImpactStory: z
        .object({ date: newer(day), videoUrl: z.string().nullable(), title: z.string(), language: newer(z.enum(LANGUAGES)) })
        .nullable(),
      lastWinner: namedWinner.nullable(),
      serverTime: newer(instant),
    }),
    refusals: [],
    cache: 'public',
  }),
  roundHistory: endpoint('GET /rounds/history', {
    access: 'member',
    summary: 'Settled and void rounds since the member registered, newest first.',
    query: page,
    output: z.object({ results: z.array(historyItem), nextCursor }),
    refusals: [],
  }),
  userRupee: endpoint('GET /user/rupees/{day}', {
    access: 'member',
    summary: "The help that the member's rupee of a day paid for, or how long the rupee has waited. 404 for a day without an entry.",
    params: z.object({ day: z.string().max(20) }),
    output: z.object({ rupee: rupeeTrail }),
    refusals: ['not_found'],
  }),
  roundStats: endpoint('GET /rounds/stats', {
    access: 'member',
    summary: 'Rounds joined, rupees won, and wins in percent of rounds joined (one decimal).',
    output: z.object({ totalParticipated: count, totalWon: rupees, winRate: z.number() }),
    refusals: [],
  }),
  ownMilestones: endpoint('GET /user/milestones', {
    access: 'member',
    summary:
      'The days on which the member gave a rupee, in settled rounds: how many, the milestones among them, and the weeks with five or more.',
    output: z.object({
      days: count,
      weeks: count.meta({ description: 'Weeks from Monday to Sunday with five such days or more' }),
      reached: z
        .array(z.object({ days: count, on: day }))
        .meta({ description: 'The 10th, 50th, 100th and 365th of these days, as far as reached' }),
    }),
    refusals: [],
  }),
  ownWins: endpoint('GET /user/wins', {
    access: 'member',
    summary: "The member's rewards of the last 30 days, newest first, and what of each can be passed on to the help fund.",
    output: z.object({
      wins: z.array(
        z.object({
          day,
          prize: rupees.meta({ description: 'After tax' }),
          left: rupees.meta({ description: 'What passing it on now would give: at most the reward, and at most the balance' }),
          until: day,
          passedOn: rupees.nullable().meta({ description: 'null: not passed on' }),
        }),
      ),
    }),
    refusals: [],
  }),
  passOn: endpoint('POST /user/wins/{day}/pass-on', {
    access: 'verified',
    summary:
      "Gives the reward of a day, or what is left of it, to the help fund: once, within 30 days, after the member's debts, and no more than `amount`, which the member confirmed.",
    params: z.object({ day: z.string().max(20) }),
    body: z.strictObject({ amount: rupeeAmount }),
    output: z.object({ passedOn: rupees, balance: rupees }),
    refusals: [
      'not_found',
      'on_hold',
      'prize_passed_on',
      'prize_too_old',
      'debt_first',
      'nothing_left',
      'idempotency_mismatch',
      'overloaded',
    ],
  }),
  triggerDraw: staffCall('POST /admin/trigger-draw', {
    roles: TREASURY,
    stepUp: true,
    summary:
      "Draws the round of `day`. Without `day`: the oldest closed round, or if there is none, closes, draws and settles today's. A second call without `day` within twelve hours is a repeat, and closes no other round.",
    body: z.strictObject({ day: day.optional() }).default({}),
    output: z.object({ message: newer(z.string(), { absent: 'Draw triggered successfully!' }), round: newer(round) }),
    alsoStatus: 202,
    refusals: ['no_participants', 'round_already_closed', 'draw_waiting', 'round_not_found', 'idempotency_mismatch'],
  }),
} as const
