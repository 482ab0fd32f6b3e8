/** A member's rupee of one day: the help that its share paid for, with bills, or how long it has waited. */
import { ARRIVAL_WAYS } from '@roz/core/arrival-fields.ts'
import { LANGUAGES } from '@roz/core/language.ts'
import { z } from 'zod'
import { purposeLanguage } from './outlays.ts'
import { count, day, rupees } from './shapes.ts'

/** Somebody other than the payer confirmed that help arrived. */
export const received = z.object({ on: day.meta({ description: 'The day of the call, visit or signature' }), how: z.enum(ARRIVAL_WAYS) })
export type Received = z.infer<typeof received>

/** The newest of what a helped person said weeks later. */
const voice = z.object({
  weeks: count,
  words: z.string().meta({ description: 'The first 140 characters; the story has the rest' }),
  isWhole: z.boolean(),
  language: z.enum(LANGUAGES),
})
export type Voice = z.infer<typeof voice>

export const rupeeTrail = z
  .object({
    paise: count.meta({ description: 'The part of the rupee for people in need' }),
    others: count.meta({ description: 'Other members whose rupees are in the share of the day' }),
    share: rupees.meta({ description: "The day's whole share for people in need, gifts of the day included" }),
    waiting: rupees.meta({ description: 'The part of the share that is still in the help fund' }),
    days: count.meta({ description: 'Days since the day of the round' }),
    help: z
      .array(
        z.object({
          amount: rupees.meta({ description: "Of the day's share" }),
          purpose: z.string().meta({ description: "What the help was for, in the team's words; empty if not recorded" }),
          language: purposeLanguage,
          name: z
            .string()
            .nullable()
            .meta({ description: 'The public name of who was helped; null: not recorded, or the consent was revoked' }),
          on: day.meta({ description: 'The day whose books show the allotment' }),
          receipts: z.array(z.string()).meta({ description: 'SHA-256 of each picture, which is at /api/receipts/{hash}' }),
          received: received.nullable().meta({ description: 'null: not confirmed yet' }),
          voice: voice.nullable().meta({ description: 'null: nothing yet, or the consent ended' }),
          storyId: z.string().nullable(),
          videoUrl: z.string().nullable(),
        }),
      )
      .meta({ description: 'Oldest first' }),
    back: z
      .array(
        z.object({
          amount: rupees.meta({ description: "Of the day's share" }),
          purpose: z.string().meta({ description: 'Why it came back, in the words of the team; empty if not recorded' }),
          language: purposeLanguage,
          on: day.meta({ description: 'The day whose books show it' }),
          receipts: z.array(z.string()),
        }),
      )
      .meta({ description: 'Help that came back; it waits again or was given again. Oldest first' }),
  })
  .nullable()
  .meta({ description: 'null: the member was not in the round, or the round has no help share (yet)' })
export type RupeeTrail = NonNullable<z.infer<typeof rupeeTrail>>
