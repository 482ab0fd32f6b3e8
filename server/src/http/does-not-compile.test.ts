/**
 * Mistakes that must not compile. Each `@ts-expect-error` expects the compiler's error on the next line.
 * - If the compiler accepts a mistake, the unused `@ts-expect-error` is itself an error and `npm run check` fails.
 */
import { endpoint, staffCall } from '@roz/contract/endpoint.ts'
import { expect, test } from 'vitest'
import type { Handler, Handlers } from './route.ts'

const said = { summary: 'An example.', output: 'empty' } as const
const unguarded = endpoint('GET /example', { ...said, access: 'visitor', refusals: [] })

// @ts-expect-error -- a call without an access level
const withoutAccess = endpoint('GET /example', { ...said, refusals: [] })

// @ts-expect-error -- a call without its list of refusals
const withoutRefusals = endpoint('GET /example', { ...said, access: 'visitor' })

// @ts-expect-error -- a call that moves money and is open to staff, who have no wallet
const openToStaff = endpoint('GET /example', { ...said, access: 'session', refusals: ['idempotency_mismatch'] })

// @ts-expect-error -- an administrators' call without the roles that may make it
const withoutRoles = staffCall('GET /example', { ...said, refusals: [] })

// @ts-expect-error -- a call of everybody with roles, which nobody would check
const uncheckedRoles = endpoint('GET /example', { ...said, access: 'visitor', roles: ['owner'], refusals: [] })

// @ts-expect-error -- an administrators' call that moves money without a step-up
const withoutStepUp = staffCall('GET /example', { ...said, roles: ['owner'], refusals: ['idempotency_mismatch'] })

// @ts-expect-error -- a handler that reads the session of a call that needs none
const forgottenGuard: Handler<typeof unguarded> = async ({ session }) => ({ ok: true, value: void session.memberId })

// @ts-expect-error -- a refusal that the contract does not declare
const undeclaredRefusal: Handler<typeof unguarded> = async () => ({ ok: false, code: 'already_joined' })

// @ts-expect-error -- a call without a handler
const unanswered: Handlers<'logout'> = {}

test('a forgotten guard, role or step-up, a money call open to staff, an undeclared refusal and a missing handler do not compile', () => {
  const calls = [withoutAccess, withoutRefusals, openToStaff, withoutRoles, uncheckedRoles, withoutStepUp]
  expect([...calls, forgottenGuard, undeclaredRefusal, unanswered]).toHaveLength(9)
})
