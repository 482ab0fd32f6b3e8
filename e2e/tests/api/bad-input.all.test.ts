/**
 * Sends every call of the contract invalid input, over real HTTP to the real program.
 * - Each refusal is 4xx with a code and a message, by the first check that fails in a fixed order.
 * - No refusal changes a row of the database.
 */
import { request as httpRequest } from 'node:http'
import { api, type CallName } from '@roz/contract/api.ts'
import type { Access } from '@roz/contract/endpoint.ts'
import { sql } from '@roz/server/db/sql.ts'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { addressOf, ask, codeOf, judgeAccepted, specOf } from '../../harness/calls.ts'
import { fingerprint, READS, inDatabase } from '../../harness/database.ts'
import { BODIES, PARAMS } from '../../harness/examples.ts'
import { adminToken, eventually, newMember, type Person, register } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'
import { cases, JSON_TYPE, type Sent } from '../../harness/wrong-bodies.ts'

const names = Object.keys(api) as CallName[]
const withBody = names.filter((name) => specOf(name).body !== undefined)

let roz: Program
let member: Person
let unverified: Person
let suspended: Person
let admin: string
let staffAsMember: string

beforeAll(async () => {
  roz = await startProgram()
  member = await newMember(roz, { rupees: 20 })
  suspended = await newMember(roz, { rupees: 20 })
  unverified = await register(roz.url, 'Not Yet', 'not.yet@x.test')
  admin = await adminToken(roz.url)
  // Staff cannot log in as members any more: this session is from before its member joined the team.
  const joinedTheTeam = await newMember(roz)
  staffAsMember = joinedTheTeam.token
  expect((await ask(roz.url, 'joinRound', { token: member.token, body: {} })).status).toBe(200)
  await inDatabase(roz.dataDir, async (db) => {
    await db.query(sql`update member set suspended_at = roz_now() where email = ${suspended.email}::text`)
    await db.query(
      sql`update member set role = 'admin', staff_role = 'support', staff_since = roz_now() where email = ${joinedTheTeam.email}::text`,
    )
    await eventually('the mails and notices of the beginning', async () => {
      const waiting = await db.query(sql`select 1 from job where done_at is null`)
      return waiting.length === 0 ? true : undefined
    })
  })
  before = await fingerprint(roz.dataDir)
})

/** The database after a test, which the next test compares with. */
let before: Record<string, string>
/** Whether a call of this test was answered: an accepted read about persons is recorded. */
let isAnswered = false
afterEach(async () => {
  const after = await fingerprint(roz.dataDir)
  const found = isAnswered ? { ...before, [READS]: after[READS] } : before
  before = after
  isAnswered = false
  expect(after, 'a refused call changed the database').toEqual(found)
})

/** A token that passes the call's guard. */
const tokenFor = (access: Access): string | undefined =>
  access === 'admin' ? admin : ['member', 'verified', 'session'].includes(access) ? member.token : undefined

async function send(name: CallName, sent: Sent): Promise<{ status: number; headers: Headers; text: string; code: string }> {
  const spec = specOf(name)
  const token = 'token' in sent ? sent.token : tokenFor(spec.access)
  const response = await fetch(`${roz.url}${addressOf(spec, { params: PARAMS })}`, {
    method: sent.method ?? spec.method,
    headers: { accept: 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...sent.headers },
    body: sent.body ?? null,
  })
  const text = await response.text()
  isAnswered ||= response.ok
  return { status: response.status, headers: response.headers, text, code: response.ok ? '' : codeOf(name, response.status, text) }
}

const sendJson = (name: CallName, body: unknown) => send(name, { body: JSON.stringify(body), headers: JSON_TYPE })

test.each(withBody)('%s refuses wrong types, unknown fields, malformed JSON, other content types and large bodies', async (name) => {
  const wrong: string[] = []
  let sent = 0
  for (const { what, sent: request, is } of cases(name)) {
    const { status, code, text } = await send(name, request)
    if (status !== is[0] || code !== is[1]) wrong.push(`${what}: ${status} ${code}: ${String(request.body).slice(0, 200)} → ${text}`)
    const { fields } = JSON.parse(text) as { fields?: Record<string, string> }
    if (code === 'invalid_input' && Object.keys(fields ?? {}).length === 0) wrong.push(`${what}: no field is named: ${text}`)
    if (what === 'an unknown field' && fields?.surprise !== 'This field is not known.') wrong.push(`${what}: ${text}`)
    sent++
  }
  const streamed = await sendChunked(name, JSON.stringify({ ...BODIES[name], filler: 'x'.repeat(70_000) }))
  if (codeOf(name, streamed.status, streamed.text) !== 'body_too_large') wrong.push(`a large body without its size: ${streamed.text}`)
  expect(wrong).toEqual([])
  expect(sent).toBeGreaterThan(20)
})

/** Sends the body in chunks, without a Content-Length. */
function sendChunked(name: CallName, body: string): Promise<{ status: number; text: string }> {
  const spec = specOf(name)
  const token = tokenFor(spec.access)
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      `${roz.url}${addressOf(spec, { params: PARAMS })}`,
      {
        method: spec.method,
        agent: false,
        headers: { ...JSON_TYPE, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      },
      (response) => {
        let text = ''
        response.on('data', (part) => (text += String(part)))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      },
    )
    request.on('error', reject)
    for (let at = 0; at < body.length; at += 10_000) request.write(body.slice(at, at + 10_000))
    request.end()
  })
}

describe('amounts of money', () => {
  const wrong = [
    '-1',
    '-20',
    '0',
    '-0',
    '0.001',
    '9.99',
    '20.001',
    '1e-7',
    '30.01',
    '31',
    '1e6',
    '10000001',
    '1e21',
    '1e308',
    '1e999',
    '-1e999',
    '"20"',
    'null',
    '[20]',
    '{}',
    'true',
  ]

  test('an amount to add is refused when invalid, too small, too large or finer than paise', async () => {
    for (const amount of wrong) {
      const body = `{"amount": ${amount}, "phoneNumber": "9876543210"}`
      const { status, code } = await send('addMoney', { body, headers: JSON_TYPE })
      expect([amount, status, code]).toEqual([amount, 400, 'invalid_input'])
    }
  })

  test('an amount to withdraw is refused when invalid, too small or above the balance', async () => {
    for (const amount of wrong) {
      const body = `{"amount": ${amount}, "bankDetail": ${JSON.stringify(BODIES.withdraw?.bankDetail)}}`
      const { status, code } = await send('withdraw', { body, headers: JSON_TYPE })
      // A valid amount above the balance of ₹19 is a matter of the balance.
      const isSome = api.withdraw.body.safeParse(JSON.parse(body)).success && Number(amount) >= 20
      expect([amount, status, code]).toEqual([amount, ...(isSome ? [409, 'insufficient_funds'] : [400, 'invalid_input'])])
    }
  })
})

describe('the query of a list', () => {
  const paged = (name: CallName): boolean =>
    Object.hasOwn((specOf(name).query as { readonly shape?: object } | undefined)?.shape ?? {}, 'cursor')
  const lists = names.filter(paged)
  const queries = [
    'limit=0',
    'limit=-1',
    'limit=101',
    'limit=1.5',
    'limit=NaN',
    'limit=1e9',
    'limit=x',
    'cursor=x',
    'cursor=',
    `cursor=${'a'.repeat(201)}`,
    'cursor=%00',
    'limit=1&limit=2&limit=x',
  ]

  test.each(lists)('%s refuses invalid limits and cursors, and ignores unknown parameters', async (name) => {
    const spec = specOf(name)
    const headers = { authorization: `Bearer ${tokenFor(spec.access) ?? ''}` }
    // The one list below a person is this member's.
    const at = `${roz.url}${addressOf(spec, { params: { id: member.id } })}`
    for (const query of queries) {
      const response = await fetch(`${at}?${query}`, { headers: spec.access === 'visitor' ? {} : headers })
      const text = await response.text()
      expect([query, response.status], text).toEqual([query, 400])
      expect(codeOf(name, 400, text)).toBe('invalid_input')
    }
    const known = await fetch(`${at}?surprise=1&limit=1`, { headers: spec.access === 'visitor' ? {} : headers })
    expect(known.status).toBe(200)
    isAnswered = true
    judgeAccepted(name, known.status, await known.text())
  })

  test.each(['logInclusion', 'logConsistency'] as const)('%s refuses invalid sizes and indexes', async (name) => {
    const at = `${roz.url}${addressOf(specOf(name))}`
    for (const query of ['', 'index=-1&size=1', 'from=x&to=y', 'index=1.5&size=3', 'from=1e400&to=2', 'index=&size=']) {
      const response = await fetch(`${at}?${query}`)
      expect([query, response.status, codeOf(name, response.status, await response.text())]).toEqual([query, 400, 'invalid_input'])
    }
  })

  test.each(['', '?token=', '?token=%00', '?token=unknown', '?token[]=x', `?token=${'x'.repeat(10_000)}`])(
    'verify-email refuses %s',
    async (query) => {
      const response = await fetch(`${roz.url}/api/auth/verify-email${query}`, { headers: { accept: 'application/json' } })
      expect(response.status).toBe(400)
      codeOf('verifyEmail', 400, await response.text())
    },
  )
})

describe('the parameters of an address', () => {
  test.each(['x', '%00', '%20', '..%2f..%2f', "'%20or%201=1", 'f'.repeat(101), '%E0%A4%A'])(
    '%s names no order and no story',
    async (value) => {
      for (const [method, address, token] of [
        ['GET', `/api/wallet/verify/${value}`, member.token],
        ['POST', `/api/impact/stories/${value}/view`, undefined],
        ['PUT', `/api/impact/stories/${value}`, admin],
      ] as const) {
        const response = await fetch(`${roz.url}${address}`, {
          method,
          headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...(method === 'PUT' ? JSON_TYPE : {}) },
          body: method === 'PUT' ? '{"isActive":true}' : null,
        })
        expect([400, 404], `${method} ${address}`).toContain(response.status)
        codeOf(address, response.status, await response.text())
      }
    },
  )
})

describe('keys of money calls', () => {
  test.each([
    ['an empty key', ''],
    ['a key of 201 characters', 'k'.repeat(201)],
  ])('%s is refused', async (_what, key) => {
    for (const name of ['joinRound', 'addMoney', 'withdraw'] as const) {
      const { status, code } = await send(name, { body: JSON.stringify(BODIES[name]), headers: { ...JSON_TYPE, 'idempotency-key': key } })
      expect([name, status, code]).toEqual([name, 400, 'invalid_input'])
    }
  })
})

test('half of a character is refused, a NUL is left out, and a call that repeats nothing ignores an Idempotency-Key', async () => {
  for (const [sign, refusal] of [
    ['\\ud800', 'invalid_input'],
    // Nothing but the NUL is wrong with the text, so the member is looked for.
    ['\\u0000', 'member_not_found'],
  ] as const) {
    const { code } = await send('noteUser', { body: `{"text": "a note ${sign}"}`, headers: JSON_TYPE })
    expect([sign, code]).toEqual([sign, refusal])
  }
  expect((await send('me', { token: member.token, headers: { 'idempotency-key': 'k'.repeat(201) } })).status).toBe(200)
})

describe('an upload', () => {
  const upload = (form: FormData) =>
    fetch(`${roz.url}/api/user/avatar`, { method: 'POST', headers: { authorization: `Bearer ${member.token}` }, body: form })
  const formOf = (field: string, content: BlobPart, type = 'image/png'): FormData => {
    const form = new FormData()
    form.set(field, new Blob([content], { type }), 'a.png')
    return form
  }

  test.each([
    ['a text with the type of an image', () => formOf('avatar', 'hello'), 400, 'avatar_not_image'],
    [
      'an SVG',
      () => formOf('avatar', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', 'image/svg+xml'),
      400,
      'avatar_not_image',
    ],
    ['an empty file', () => formOf('avatar', ''), 400, 'avatar_not_image'],
    ['another field', () => formOf('picture', 'hello'), 400, 'invalid_input'],
    ['more than 5 MB', () => formOf('avatar', new Uint8Array(5 * 1024 * 1024 + 1)), 413, 'avatar_too_large'],
    ['far more than 5 MB', () => formOf('avatar', new Uint8Array(9 * 1024 * 1024)), 413, 'avatar_too_large'],
  ])('of %s is refused', async (_what, form, status, code) => {
    const response = await upload(form())
    const text = await response.text()
    expect([response.status, codeOf('uploadAvatar', response.status, text)], text).toEqual([status, code])
  })

  test('as JSON, or as a form without its parts, is refused', async () => {
    expect((await send('uploadAvatar', { body: '{}', headers: JSON_TYPE })).status).toBe(415)
    expect((await send('uploadAvatar', { body: 'x', headers: { 'content-type': 'multipart/form-data; boundary=x' } })).status).toBe(400)
    expect((await send('uploadAvatar', { body: 'x', headers: { 'content-type': 'multipart/form-data' } })).status).toBe(415)
  })
})

describe('addresses and methods', () => {
  test.each([
    '/api',
    '/api/',
    '/api/nothing',
    '/api/auth',
    '/api/auth/login/x',
    '/api/rounds/join/',
    '/api/AUTH/login',
    '/api/wallet//add',
  ])('no call exists at %s, for anyone and with any method', async (address) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      for (const token of [undefined, 'unknown', member.token, admin]) {
        const response = await fetch(`${roz.url}${address}`, {
          method,
          headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        })
        expect([method, response.status]).toEqual([method, 404])
        expect(codeOf(address, 404, await response.text())).toBe('not_found')
      }
    }
  })

  test('a known address answers other methods 405 with Allow, before every other check', async () => {
    const byPath = new Map<string, string[]>()
    for (const name of names) byPath.set(specOf(name).path, [...(byPath.get(specOf(name).path) ?? []), specOf(name).method])
    for (const name of names) {
      const allowed = byPath.get(specOf(name).path) ?? []
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].filter((one) => !allowed.includes(one))) {
        const body = method === 'GET' ? {} : { body: 'x'.repeat(70_000), headers: { 'content-type': 'text/plain' } }
        const { status, code, headers } = await send(name, { method, token: undefined, ...body })
        expect([name, method, status, code]).toEqual([name, method, 405, 'method_not_allowed'])
        expect(headers.get('allow')?.split(', ').sort()).toEqual([...allowed].sort())
      }
    }
  })
})

describe('access', () => {
  type Who =
    | 'nobody'
    | 'an unknown token'
    | 'a member'
    | 'an unverified member'
    | 'a suspended member'
    | 'an administrator'
    | 'staff logged in as a member'
  type Expected = 'unauthenticated' | 'forbidden' | 'email_unverified' | 'on_hold' | undefined
  const tokenOf = (who: Who): string | undefined =>
    ({
      nobody: undefined,
      'an unknown token': 'a'.repeat(43),
      'a member': member.token,
      'an unverified member': unverified.token,
      'a suspended member': suspended.token,
      'an administrator': admin,
      'staff logged in as a member': staffAsMember,
    })[who]
  const all: readonly Who[] = [
    'nobody',
    'an unknown token',
    'a member',
    'an unverified member',
    'a suspended member',
    'an administrator',
    'staff logged in as a member',
  ]

  function expected(access: Access, who: Who): Expected {
    if (access === 'visitor' || access === 'signed') return undefined
    if (who === 'nobody') return access === 'anyone' ? undefined : 'unauthenticated'
    if (who === 'an unknown token') return 'unauthenticated'
    // It opens no call at all, so that nobody works as a member beside the portal.
    if (who === 'staff logged in as a member') return 'unauthenticated'
    if (access === 'anyone' || access === 'session') return undefined
    const isAdmin = who === 'an administrator'
    if (access === 'admin') return isAdmin ? undefined : 'forbidden'
    if (isAdmin) return 'forbidden'
    if (access === 'verified' && who === 'an unverified member') return 'email_unverified'
    if (access === 'verified' && who === 'a suspended member') return 'on_hold'
    return undefined
  }

  // These end, send or record something when accepted; other calls with the same access show it.
  const effective = new Set<CallName>([
    ...(['logout', 'resendVerification', 'adminUsersCsv', 'adminAuditCsv', 'adminRoundsCsv'] as const),
    ...(['adminWithdrawalsCsv', 'adminRefundsCsv', 'suspenseCsv', 'disbursementsCsv', 'houseEntriesCsv'] as const),
    ...(['adminAutopayCsv', 'taxWithheldCsv'] as const),
    ...([
      'announcementsCsv',
      'beneficiariesCsv',
      'disputesCsv',
      'flagsCsv',
      'helpCasesCsv',
      'messagesCsv',
      'reconciliationCsv',
      'staffCsv',
    ] as const),
  ])

  test.each(names)('%s: exactly the callers of its access pass, whatever else is wrong with the request', async (name) => {
    const spec = specOf(name)
    for (const who of all) {
      const refusal = expected(spec.access, who)
      if (refusal === undefined && effective.has(name)) continue
      // Past the guard something else is wrong, so that nothing happens: the body, the type, or the order's id.
      const wrong = spec.method === 'GET' ? {} : { body: 'x'.repeat(10), headers: { 'content-type': 'text/plain' } }
      const { status, code, text } = await send(name, { token: tokenOf(who), ...wrong })
      if (refusal !== undefined) expect([name, who, code], text).toEqual([name, who, refusal])
      else if (spec.access === 'signed') expect([status, code]).toEqual([401, 'webhook_signature'])
      else {
        expect([401, 403], `${name} as ${who}: ${text}`).not.toContain(status)
        if (status < 300) judgeAccepted(name, status, text)
      }
    }
  })

  test('the rules are checked last: a second join with invalid input is refused for its input', async () => {
    const nonsense = await sendJson('joinRound', { surprise: 1 })
    expect([nonsense.status, nonsense.code]).toEqual([400, 'invalid_input'])
    const again = await sendJson('joinRound', {})
    expect([again.status, again.code]).toEqual([409, 'already_joined'])
  })
})
