/**
 * The validation rules of the profile's two forms.
 * - A member who registered through Google may leave the phone empty until they enter one.
 * - A saved name that breaks a newer rule may stay unchanged.
 */
import { name } from '@roz/core/name-fields.ts'
import { givenPassword, newPassword, phone } from '@roz/core/person-fields.ts'
import * as z from 'zod/mini'

const judgedBy = (rule: z.ZodMiniType<string, string>, mayStay: (text: string) => boolean) =>
  z.string().check(
    z.overwrite((text) => (mayStay(text) ? text : (rule.safeParse(text).data ?? text))),
    z.superRefine((text, context) => {
      const problem = mayStay(text) ? undefined : rule.safeParse(text).error?.issues[0]?.message
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
    }),
  )

export const profileRules = (kept: { readonly name: string; readonly phone: string | null }) =>
  z.object({
    name: judgedBy(name, (text) => text === kept.name),
    phone: judgedBy(phone, (text) => text === '' && kept.phone === null),
    autoParticipate: z.boolean(),
  })
export type ProfileValues = z.infer<ReturnType<typeof profileRules>>

export const passwordRules = z.object({ currentPassword: givenPassword, newPassword })
export type PasswordValues = z.infer<typeof passwordRules>
