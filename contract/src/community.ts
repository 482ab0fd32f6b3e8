/** Calls of public figures, notices, the contact form and the administrator's overview. */
import { message } from '@roz/core/fields.ts'
import { writerName } from '@roz/core/name-fields.ts'
import { email } from '@roz/core/person-fields.ts'
import { z } from 'zod'
import { endpoint, staffCall } from './endpoint.ts'
import { story } from './impact.ts'
import { STAFF } from './roles.ts'
import { count, day, instant, newer, nextCursor, page, rupees } from './shapes.ts'

export const notification = z.object({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  body: z.string(),
  createdAt: instant,
  readAt: instant.nullable(),
  storyId: z.string().nullable().meta({ description: 'The story that it is about' }),
  isStoryMuted: newer(z.boolean().meta({ description: 'The member hears nothing further of that story' }), { absent: false }),
})

/** Messages that a member can turn off. Mails about money and safety are always sent. */
const preferences = z.object({ mail: z.boolean(), push: z.boolean() })
const preferencesAnswer = z.object({ preferences })

export const communityCalls = {
  home: endpoint('GET /public/home', {
    access: 'visitor',
    summary: 'The figures and stories of the home page.',
    output: z.object({
      data: z.object({
        stats: z.object({
          totalCharity: rupees,
          totalPeople: count,
          rounds: count,
          today: z.object({ pool: rupees, charity: rupees, giveaway: rupees, platform: rupees }),
        }),
        help: newer(
          z.object({
            medianDays: count
              .nullable()
              .meta({ description: 'Median days from the day of a rupee to its payment as help; null before the first payment' }),
            oldest: z.object({ day, days: count }).nullable().meta({ description: 'The oldest day with help that is not paid out yet' }),
          }),
          { absent: { medianDays: null, oldest: null } },
        ),
        helped: newer(
          z.object({
            people: count.meta({ description: 'Beneficiaries with booked help that did not all come back, also after a revoked consent' }),
            stories: z
              .object({ due: count, inTime: count })
              .meta({ description: 'Stories due in the last 30 days, at 6 PM of the day after their round, and those published by then' }),
            payments: z
              .object({ count, withVideo: count })
              .meta({ description: 'Payments of help in the last 30 days, and those whose published story has a video' }),
            arrivals: newer(
              z
                .object({ due: count, inTime: count })
                .meta({ description: 'Payments of help sent 7 to 37 days ago, and those confirmed as received within 7 days' }),
              { absent: { due: 0, inTime: 0 } },
            ),
          }),
          {
            absent: {
              people: 0,
              stories: { due: 0, inTime: 0 },
              payments: { count: 0, withVideo: 0 },
              arrivals: { due: 0, inTime: 0 },
            },
          },
        ),
        desk: newer(
          z.object({
            asked: count,
            open: count,
            refused: count,
            helped: count,
            medianDays: count
              .nullable()
              .meta({ description: 'Median days from asking to help, of those helped in the last 30 days; null: nobody was' }),
          }),
          { absent: { asked: 0, open: 0, refused: 0, helped: 0, medianDays: null } },
        ),
        recentImpacts: z.array(story),
      }),
    }),
    refusals: [],
    cache: 'named',
  }),
  notifications: endpoint('GET /notifications', {
    access: 'member',
    summary: "The member's notices, newest first.",
    query: page,
    output: z.object({ notifications: z.array(notification), unread: count, nextCursor }),
    refusals: [],
  }),
  readNotifications: endpoint('POST /notifications/read', {
    access: 'member',
    summary: 'Marks notices as read; without ids all of them.',
    body: z.strictObject({ ids: z.array(z.string().max(100)).max(1000).optional() }).default({}),
    output: z.object({ unread: count }),
    refusals: [],
  }),
  preferences: endpoint('GET /notifications/preferences', {
    access: 'member',
    summary: 'Which messages the member wants beside those about money and safety.',
    output: preferencesAnswer,
    refusals: [],
  }),
  setPreferences: endpoint('PUT /notifications/preferences', {
    access: 'member',
    summary: 'Changes which messages the member wants; a field left out stays.',
    body: z.strictObject({ mail: z.boolean('wrong_type').optional(), push: z.boolean('wrong_type').optional() }),
    output: preferencesAnswer,
    refusals: [],
  }),
  contact: endpoint('POST /contact', {
    access: 'anyone',
    summary: "Sends a message to support; acknowledged with a ticket number. With a member's token the message is in that member's export.",
    body: z.strictObject({ name: writerName, email, message }),
    output: z.object({ ticket: z.string() }),
    status: 201,
    refusals: ['too_many_requests'],
  }),
  adminStats: staffCall('GET /admin/stats', {
    roles: STAFF,
    summary: 'Members, contributions, need shares, today, rounds in progress.',
    output: z.object({
      totalUsers: count,
      totalRevenue: rupees,
      totalDonated: rupees,
      todayParticipants: count,
      todayRevenue: rupees,
      activeRounds: count,
      audit: z
        .object({
          checkedAt: instant,
          ok: z.boolean(),
          broken: z.array(z.object({ sentence: z.string(), rows: count, first: z.string() })),
        })
        .nullable()
        .meta({ description: 'The time of the newest audit, and each finding of an audit that no later one ended; null before the first' }),
      alarms: newer(
        z
          .array(
            z.object({
              code: z.enum([
                'clock_doubted',
                'no_open_round',
                'books_held',
                'draw_waiting',
                'help_waiting',
                'proof_taken_back',
                'help_not_received',
              ]),
              day,
              waiting: count,
            }),
          )
          .meta({
            description:
              'Conditions that an operator must look at: the day concerned, and the number of further days; the same as in /readyz',
          }),
        { absent: [] },
      ),
    }),
    refusals: [],
  }),
} as const
