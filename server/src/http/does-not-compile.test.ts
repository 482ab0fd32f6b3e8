/**
 * What must not compile. Each marked line is a mistake that the compiler is told to expect: were one
 * let through, the mark above it would be the error, and `npm run check` fails.
 */
import { endpoint } from '@roz/contract/endpoint.ts'
import { expect, test } from 'vitest'
import type { Handler, Handlers } from './route.ts'

const said = { method: 'GET', path: '/example', summary: 'An example.', output: 'empty' } as const
const unguarded = endpoint({ ...said, access: 'visitor', refusals: [] })

// @ts-expect-error -- a call that does not say who may make it
const withoutAccess = endpoint({ ...said, refusals: [] })

// @ts-expect-error -- a call that does not say what it refuses
const withoutRefusals = endpoint({ ...said, access: 'visitor' })

// @ts-expect-error -- a call that moves money, open to staff who logged in as members
const openToStaff = endpoint({ ...said, access: 'member', refusals: ['idempotency_mismatch'] })

// @ts-expect-error -- who is signed in, where nobody has to be
const forgottenGuard: Handler<typeof unguarded> = async ({ session }) => ({ ok: true, value: void session.memberId })

// @ts-expect-error -- a refusal that the contract does not name
const undeclaredRefusal: Handler<typeof unguarded> = async () => ({ ok: false, code: 'already_joined' })

// @ts-expect-error -- a call that nobody answers
const unanswered: Handlers<'logout'> = {}

test('a forgotten guard, money that staff may move as members, an undeclared refusal and an unanswered call do not compile', () => {
  const mistakes = [withoutAccess, withoutRefusals, openToStaff, forgottenGuard, undeclaredRefusal, unanswered]
  expect(mistakes).toHaveLength(6)
})
