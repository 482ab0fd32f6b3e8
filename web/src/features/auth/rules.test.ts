import { expect, test } from 'vitest'
import { firstProblem, loginRules, registerRules } from './rules.ts'

const problemsOf = (rules: typeof registerRules | typeof loginRules, values: unknown): Record<string, string> => {
  const result = rules.safeParse(values)
  return Object.fromEntries((result.error?.issues ?? []).toReversed().map((issue) => [issue.path.join('.'), issue.message]))
}
const filled = { name: 'Asha Verma', email: 'asha@example.in', phone: '9876543210', password: 'secret1', confirmPassword: 'secret1' }

test('the login form refuses an empty field with "Please fill in all fields"', () => {
  expect(problemsOf(loginRules, { email: '', password: '' })).toEqual({ email: 'fill_all', password: 'fill_all' })
})

test('the registration form reports missing fields first, then different passwords, then a short password', () => {
  const say = (values: typeof filled) => firstProblem(values, problemsOf(registerRules, values))
  expect(say({ ...filled, phone: '', confirmPassword: 'x' })).toBe('fill_all')
  expect(say({ ...filled, password: 'abc', confirmPassword: 'abd' })).toBe('passwords_differ')
  expect(say({ ...filled, password: 'abc', confirmPassword: 'abc' })).toBe('password_short')
  expect(say({ ...filled, phone: '12' })).toBe('phone_invalid')
  expect(registerRules.safeParse(filled).success).toBe(true)
})

test('the registration form reports different passwords while another field is still wrong', () => {
  expect(problemsOf(registerRules, { ...filled, phone: '12', confirmPassword: 'other1' })).toEqual({
    phone: 'phone_invalid',
    confirmPassword: 'passwords_differ',
  })
})
