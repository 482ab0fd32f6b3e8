/** Tests the access log: which fields the line of an answer carries. */
import type { AdminSession, MemberSession } from '../http/session.ts'
import { afterEach, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../testing/http.ts'

const member: MemberSession = {
  kind: 'member',
  tokenHash: Buffer.alloc(32),
  memberId: 1001n,
  emailVerified: true,
  suspended: false,
}
const admin: AdminSession = {
  kind: 'admin',
  tokenHash: Buffer.alloc(32),
  memberId: 7n,
  staffRole: 'owner',
  steppedUp: false,
  owesTotp: false,
}

let app: TestApp
afterEach(() => app.close())

async function linesOf(...calls: readonly (readonly [call: string, token?: string, body?: unknown])[]): Promise<Record<string, unknown>[]> {
  const lines: string[] = []
  app = await startTestApp({
    handlers: {
      home: async () => {
        throw new Error('no')
      },
      logout: async () => ({ ok: true, value: undefined }),
      login: async () => ({ ok: false, code: 'invalid_credentials' }),
    },
    sessions: { find: async (token) => ({ member, admin })[token] },
    logTo: { write: (line) => void lines.push(line) },
  })
  for (const [call, token, body] of calls) await app.ask(call, { ...(token === undefined ? {} : { token }), body })
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === 'answered')
}

test('a refusal is logged with its code, and with the member’s number if the call carried a session', async () => {
  const lines = await linesOf(
    ['POST /auth/login', undefined, { email: 'asha@x.test', password: 'wrong one' }],
    ['GET /admin/users', 'unknown'],
    ['GET /admin/users', 'member'],
    ['POST /admin/withdrawals/1/reject', 'admin', {}],
    ['GET /public/home'],
  )
  expect(lines.map(({ status, code, member: who, session }) => [status, code, who, session])).toEqual([
    [401, 'invalid_credentials', undefined, undefined],
    [401, 'unauthenticated', undefined, undefined],
    [403, 'forbidden', '1001', 'member'],
    [403, 'step_up_required', '7', 'admin'],
    [500, 'internal', undefined, undefined],
  ])
  for (const line of lines)
    expect(line).toEqual(
      expect.objectContaining({ reqId: expect.anything(), route: expect.any(String), time: expect.stringMatching(/Z$/) }),
    )
})

test('the line of an accepted call names no member, so its time cannot link a ticket to a member', async () => {
  const [line] = await linesOf(['POST /auth/logout', 'member'])
  expect([line?.status, line?.code, line?.member]).toEqual([204, undefined, undefined])
})

test('a refused login carries a keyed hash of its mail address, and no address', async () => {
  const attempt = (email: unknown, call = 'POST /auth/login') => [call, undefined, { email, password: 'wrong one' }] as const
  const lines = await linesOf(attempt('asha@x.test'), attempt(' Asha@X.test'), attempt('gita@x.test'), attempt(7), [
    'GET /admin/users',
    'member',
  ])
  const [first, same, other, odd, elsewhere] = lines.map(({ account }) => account)
  expect(first).toMatch(/^[0-9a-f]{16}$/)
  expect([same === first, other === first, odd, elsewhere]).toEqual([true, false, undefined, undefined])
  expect(JSON.stringify(lines)).not.toMatch(/asha|gita|x\.test/i)
})
