/**
 * The validation rules of the login and registration forms.
 * - A message is a field code; the form translates the code into words.
 * - The toast reports the first problem in this order: a missing field, different passwords, a short password, any other field.
 */
import { name } from '@roz/core/name-fields.ts'
import { email, givenPassword, newPassword, phone } from '@roz/core/person-fields.ts'
import * as z from 'zod/mini'

const given = z.string('fill_all').check(z.minLength(1, { error: 'fill_all' }))

export const loginRules = z.object({ email: given, password: givenPassword })
export type LoginValues = z.infer<typeof loginRules>

const samePasswords = z.refine<{ password: string; confirmPassword: string }>((values) => values.password === values.confirmPassword, {
  error: 'passwords_differ',
  path: ['confirmPassword'],
  // Runs even while other fields are wrong: otherwise the problem would appear only on the last attempt.
  when: ({ value }) => typeof value === 'object' && value !== null,
})

export const registerRules = z.object({ name, email, phone, password: newPassword, confirmPassword: given }).check(samePasswords)
export type RegisterValues = z.infer<typeof registerRules>

export const addressRules = z.object({ email, currentPassword: givenPassword })
export type AddressValues = z.infer<typeof addressRules>

export const forgotRules = z.object({ email })
export type ForgotValues = z.infer<typeof forgotRules>

/** The server judges the length: only the link says whether the account is one of the team, whose passwords are longer. */
export const resetRules = z.object({ password: given, confirmPassword: given }).check(samePasswords)
export type ResetValues = z.infer<typeof resetRules>

/** The code of the problem that the toast reports. */
export function firstProblem(values: Readonly<Record<string, unknown>>, problems: Readonly<Record<string, string | undefined>>): string {
  if (Object.values(values).some((value) => typeof value === 'string' && value.trim() === '')) return 'fill_all'
  if (problems.confirmPassword === 'passwords_differ') return 'passwords_differ'
  return problems.password ?? Object.values(problems).find((problem) => problem !== undefined) ?? 'fill_all'
}
