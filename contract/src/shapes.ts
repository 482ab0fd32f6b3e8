/** Shapes that several calls share. Amounts are rupees as JSON numbers (at most 2 decimals); days are IST; times are ISO 8601. */
import { inEach, LANGUAGES } from '@roz/core/language.ts'
import { REMINDER_TIMES } from '@roz/core/reminder.ts'
import { z } from 'zod'
import { STAFF_ROLES } from './roles.ts'

/**
 * The client's default for a field that an answer lacks.
 * - `absent`: this value. `like`: the value of another field of the object.
 * - Neither: the client works without the field.
 */
type Assumed = { readonly absent?: unknown; readonly like?: string }
const assumptions = z.registry<Assumed>()
/**
 * A field of an answer that the product's specification does not name. During an upgrade an older server may not send it, and the web
 * then assumes its value (web/build/forms.ts). A nullable field needs no mark: without it, null is assumed.
 */
export const newer = <S extends z.ZodType>(schema: S, assumed: Assumed = {}): S => {
  // A clone, because fields of other answers share the schema.
  const own = schema.clone()
  assumptions.add(own, assumed)
  return own
}
export const assumedOf = (schema: z.core.$ZodType): Assumed | undefined =>
  assumptions.has(schema) ? (assumptions.get(schema as z.ZodType) ?? {}) : undefined

export const rupees = z.number().meta({ description: 'Rupees, at most two decimals' })
export const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'day_invalid')
  .meta({ description: 'A day in Asia/Kolkata, YYYY-MM-DD' })
export const instant = z.string().meta({ description: 'ISO 8601 with offset', format: 'date-time' })
export const count = z.int().min(0)
export const assurance = z.enum(['weak', 'sealed']).meta({ description: 'weak: the operator could have chosen the winner' })
export const isDemo = z.boolean().meta({ description: "The operator's own server made this day's random number" })
const others = z.int().min(0).meta({ description: 'How many more winners the day has' })

export const page = z.object({
  cursor: z.string('cursor_invalid').min(1, 'cursor_invalid').max(200, 'cursor_invalid').optional(),
  limit: z.coerce.number('limit_invalid').int('limit_invalid').min(1, 'limit_invalid').max(100, 'limit_invalid').default(25),
})
/** Of a list that can also be read oldest first. */
export const order = z.enum(['newest', 'oldest'], 'choice_invalid').default('newest')
export const nextCursor = z.string().nullable().meta({ description: 'null on the last page' })

export const user = z.object({
  id: newer(z.string(), { like: 'email' }),
  name: z.string(),
  email: z.string(),
  phone: z.string().nullable(),
  avatar: z.string().nullable(),
  wallet: z.object({
    balance: rupees,
    owed: newer(
      rupees.meta({
        description: 'Debt for payments that the bank took back beyond the balance: returned money and rewards pay it first',
      }),
      { absent: 0 },
    ),
  }),
  autoParticipate: z.boolean(),
  passOn: newer(z.boolean().meta({ description: 'A reward that is won goes on to the help fund' }), { absent: false }),
  reminder: newer(z.enum(REMINDER_TIMES).nullable().meta({ description: 'The time of the evening reminder in Asia/Kolkata; null: off' }), {
    absent: null,
  }),
  createdAt: newer(instant, { like: 'joinDate' }),
  role: z.enum(['member', 'admin']),
  emailVerified: newer(z.boolean(), { absent: true }),
  publicName: newer(z.enum(['initial', 'anonymous']), { absent: 'initial' }),
  language: newer(z.enum(LANGUAGES)),
  staffRole: z.enum(STAFF_ROLES).nullable(),
})
export type User = z.infer<typeof user>

/** In a decision of the portal. */
export const seen = z
  .string()
  .max(64)
  .optional()
  .meta({ description: 'The `seen` of the row that the administrator saw; another one is refused with `changed_since_seen`' })

/** An announcement as members see it. */
const runningAnnouncement = z.object({
  id: z.string(),
  text: z.object(inEach(() => z.string())),
  link: z.string().nullable().meta({ description: 'The path of a page of this app' }),
  endsAt: instant,
})
export type RunningAnnouncement = z.infer<typeof runningAnnouncement>
const announcements = z
  .array(runningAnnouncement)
  .meta({ description: 'The announcements that run now, the newest start first; none in a session of staff' })

export const userAnswer = z.object({ user })
/** The first answers of a session contain the announcements, so that the app shows them without a call of their own. */
export const openedAnswer = z.object({ user, announcements: newer(announcements, { absent: [] }) })
export const signedIn = z.object({ token: z.string(), ...openedAnswer.shape })
export const messageAnswer = z.object({ message: z.string() })

/** A winner's label, the tax that was withheld, and how many more winners the day has. Without these fields, nothing is said. */
export const drawn = {
  assurance: newer(assurance, { absent: 'sealed' }),
  isDemo: newer(isDemo, { absent: false }),
  others: newer(others, { absent: 0 }),
  tax: newer(rupees.meta({ description: "Withheld from the winner's reward; an amount beside it is what was credited" }), { absent: 0 }),
}
export const namedWinner = z.object({ name: z.string(), amount: rupees, date: day, ...drawn })
