/** The rules of the profile's two forms. A member who came by Google may leave the phone empty until they give one. */
import { givenPassword, name, newPassword, phone } from '@roz/core/person-fields.ts'
import * as z from 'zod/mini'

export const profileRules = (phoneMayBeEmpty: boolean) =>
  z.object({
    name,
    phone: z.string().check(
      z.superRefine((text, context) => {
        if (text === '' && phoneMayBeEmpty) return
        const problem = phone.safeParse(text).error?.issues[0]?.message
        if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
      }),
    ),
    autoParticipate: z.boolean(),
  })
export type ProfileValues = z.infer<ReturnType<typeof profileRules>>

export const passwordRules = z.object({ currentPassword: givenPassword, newPassword })
export type PasswordValues = z.infer<typeof passwordRules>
