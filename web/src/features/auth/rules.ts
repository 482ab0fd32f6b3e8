/**
 * The rules of the sign-in forms (spec section 5). Messages are field codes; the form turns them
 * into words. What a toast says first follows the spec's order: fields missing, passwords that
 * differ, a password too short, then any other field.
 */
import { email, givenPassword, name, newPassword, phone } from '@roz/core/person-fields.ts'
import * as z from 'zod/mini'

const given = z.string('fill_all').check(z.minLength(1, { error: 'fill_all' }))

export const loginRules = z.object({ email: given, password: givenPassword })
export type LoginValues = z.infer<typeof loginRules>

const samePasswords = z.refine<{ password: string; confirmPassword: string }>((values) => values.password === values.confirmPassword, {
  error: 'passwords_differ',
  path: ['confirmPassword'],
  // Also judged while other fields are still wrong: otherwise it would only show on the last try.
  when: ({ value }) => typeof value === 'object' && value !== null,
})

export const registerRules = z.object({ name, email, phone, password: newPassword, confirmPassword: given }).check(samePasswords)
export type RegisterValues = z.infer<typeof registerRules>

export const forgotRules = z.object({ email })
export type ForgotValues = z.infer<typeof forgotRules>

export const resetRules = z.object({ password: newPassword, confirmPassword: given }).check(samePasswords)
export type ResetValues = z.infer<typeof resetRules>

/** The code a submit's toast says, from the values and the problems found. */
export function firstProblem(values: Readonly<Record<string, unknown>>, problems: Readonly<Record<string, string | undefined>>): string {
  if (Object.values(values).some((value) => typeof value === 'string' && value.trim() === '')) return 'fill_all'
  if (problems.confirmPassword === 'passwords_differ') return 'passwords_differ'
  return problems.password ?? Object.values(problems).find((problem) => problem !== undefined) ?? 'fill_all'
}
