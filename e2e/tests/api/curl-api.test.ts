/**
 * One scenario by plain HTTP makes every call of the contract once, on a fresh start.
 *
 * - Each step checks status, body, caching headers and language, and may use the results of the steps before it.
 * - The last test names every call that the scenario left out.
 */
import { randomUUID } from 'node:crypto'
import { api, type CallName } from '@roz/contract/api.ts'
import { financialYearOf } from '@roz/core/financial-year.ts'
import { dayAt, type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { REFUSALS } from '@roz/core/refusals.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, type Given } from '../../harness/calls.ts'
import { BODIES } from '../../harness/examples.ts'
import { expectCleanAudit } from '../../harness/database.ts'
import { BANK, creditOf, eventually, mailedLink, newMember, PASSWORD, pay, type Person, PHONE, readClock } from '../../harness/people.ts'
import { ADMIN, type Program } from '../../harness/program.ts'
import { startScenario, type Scenario } from '../../scenario/scenario.ts'
import { storyTests } from '../../scenario/stories.ts'
import { runContact, runGoogleNonce, runHold, runMessages } from '../../scenario/doors.ts'
import { expectCacheRules } from '../../scenario/cache-rules.ts'
import { runHelp } from '../../scenario/help.ts'
import { runOpenBooks } from '../../scenario/open-books.ts'
import { runPortal } from '../../scenario/portal.ts'
import { runPayouts } from '../../scenario/payouts.ts'
import { runRights } from '../../scenario/rights.ts'
import { runStaff } from '../../scenario/staff.ts'

/** The smallest PNG: one black pixel. */
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
const HINDI = /[\u0900-\u097F]/
const email = 'gita@x.test'

let scenario: Scenario
let roz: Program
let member = ''
let asha: Person
let admin = ''
let orderId = ''

beforeAll(async () => {
  scenario = await startScenario()
  roz = scenario.roz
  asha = await newMember(roz, { name: 'Asha Verma', rupees: 20 })
})
afterAll(() => scenario?.close())

const ask = <N extends CallName>(name: N, given: Given = {}) => scenario.step(name, given)

describe('a member registers', () => {
  test('POST /auth/register answers 201 with token and user', async () => {
    const answer = await ask('register', { body: { name: 'Gita Rao', email, phone: PHONE, password: PASSWORD } })
    expect(answer.status).toBe(201)
    expect(answer.output.user).toMatchObject({ name: 'Gita Rao', email, phone: PHONE, role: 'member', emailVerified: false })
    member = answer.output.token
  })

  test('POST /auth/resend-verification sends the mail again, the first time at once', async () => {
    expect((await ask('resendVerification', { token: member })).output.message).toMatch(/sent/)
    const again = await ask('resendVerification', { token: member })
    expect([again.status, again.refusal.code]).toEqual([429, 'too_many_requests'])
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('POST /user/email corrects the address, with the password, until it is confirmed', async () => {
    const body = { email: 'gita.corrected@x.test', currentPassword: PASSWORD }
    const answer = await ask('changeAddress', { token: member, body })
    expect([answer.status, answer.output.user.email]).toEqual([200, body.email])
    expect((await ask('changeAddress', { token: member, body: { email, currentPassword: PASSWORD } })).output.user.email).toBe(email)
    const wrong = await ask('changeAddress', { token: member, body: { email, currentPassword: 'wrong' } })
    expect([wrong.status, wrong.refusal.code]).toEqual([403, 'wrong_password'])
  })

  test('GET /auth/verify-email answers plain text, in Hindi when requested', async () => {
    const token = new URL(await mailedLink(roz.url, email, '/verify-email')).searchParams.get('token') ?? ''
    expect((await ask('verifyEmail', { query: { token } })).output).toBe('Your email is verified. You can log in now.')
    const hindi = await ask('verifyEmail', { query: { token }, language: 'hi' })
    expect([hindi.status, HINDI.test(hindi.output)]).toEqual([200, true])
    const refused = await ask('verifyEmail')
    expect([refused.status, refused.text]).toEqual([400, 'Invalid or missing verification token'])
  })

  test('POST /auth/login, GET /auth/me and GET /user/me name the member', async () => {
    member = (await ask('login', { body: { email, password: PASSWORD } })).output.token
    const me = (await ask('me', { token: member })).output
    expect(me.user).toMatchObject({ email, emailVerified: true })
    expect((await ask('profile', { token: member })).output).toEqual({ user: me.user })
  })

  test('a wrong password answers 401 in the requested language', async () => {
    for (const language of ['en', 'hi'] as const) {
      const answer = await ask('login', { body: { email, password: 'wrong' }, language: `${language}-IN,${language};q=0.9` })
      expect(answer.status).toBe(401)
      expect(answer.refusal).toEqual({ code: 'invalid_credentials', message: REFUSALS.invalid_credentials[language] })
    }
  })

  test('POST /auth/google opens a session for a credential of the issuer, and refuses any other', async () => {
    const person = { email: 'google@x.test', email_verified: true, name: 'Hari Om', sub: '1234567890' }
    const answer = await ask('google', { body: { token: scenario.idToken(person) } })
    expect(answer.output.user).toMatchObject({ name: 'Hari Om', email: 'google@x.test', emailVerified: true, phone: null })
    const other = await ask('google', { body: { token: scenario.idToken({ ...person, aud: 'another client' }) } })
    expect([other.status, other.refusal.message]).toEqual([401, 'Google login failed'])
  })

  test('the nonce of a Google button binds a credential to its page', () => runGoogleNonce(scenario))

  test('POST /auth/forgot-password answers the same for every address, and POST /auth/reset-password sets a new password', async () => {
    const known = await ask('forgotPassword', { body: { email: asha.email } })
    const unknown = await ask('forgotPassword', { body: { email: 'nobody@x.test' } })
    expect(known.output).toEqual(unknown.output)
    const token = new URL(await mailedLink(roz.url, asha.email, '/reset-password')).searchParams.get('token') ?? ''
    expect((await ask('resetPassword', { body: { token, password: 'another password' } })).output.message).toMatch(/\S/)
    expect((await ask('me', { token: asha.token })).status).toBe(401)
    expect((await ask('resetPassword', { body: { token, password: 'another password' } })).refusal.code).toBe('reset_token_invalid')
    asha = { ...asha, token: (await ask('login', { body: { email: asha.email, password: 'another password' } })).output.token }
  })

  test('PUT /user changes the given fields and leaves the others', async () => {
    const { user } = (
      await ask('updateProfile', { token: member, body: { name: 'Gita R. Rao', phone: '9123456789', autoParticipate: false } })
    ).output
    expect(user).toMatchObject({ name: 'Gita R. Rao', phone: '9123456789', autoParticipate: false, publicName: 'initial' })
    const one = (await ask('updateProfile', { token: member, body: { publicName: 'anonymous' } })).output.user
    expect(one).toMatchObject({ name: 'Gita R. Rao', publicName: 'anonymous' })
    await ask('updateProfile', { token: member, body: { publicName: 'initial', language: 'en' } })
  })

  test('POST /user/avatar stores a square WebP that anyone can load', async () => {
    const form = new FormData()
    form.set('avatar', new Blob([PNG], { type: 'image/png' }), 'me.png')
    const { avatarUrl } = (await ask('uploadAvatar', { token: member, form })).output
    const picture = await fetch(new URL(avatarUrl, roz.url))
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect((await ask('me', { token: member })).output.user.avatar).toBe(avatarUrl)
  })

  test('POST /user/password ends every other session and answers with a new token', async () => {
    const wrong = await ask('changePassword', { token: member, body: { currentPassword: 'wrong', newPassword: 'a new password' } })
    expect([wrong.status, wrong.refusal.code]).toEqual([403, 'wrong_password'])
    const answer = await ask('changePassword', { token: member, body: { currentPassword: PASSWORD, newPassword: 'a new password' } })
    expect((await ask('me', { token: member })).refusal.code).toBe('unauthenticated')
    member = answer.output.token
    expect((await ask('me', { token: member })).status).toBe(200)
  })

  test('GET and PUT /user/ticket-key', async () => {
    expect((await ask('ticketKey', { token: member })).output.key).toBeNull()
    const ticketKey = 'cd'.repeat(32)
    expect((await ask('setTicketKey', { token: member, body: { ticketKey } })).output).toMatchObject({ key: ticketKey, custodial: false })
    expect((await ask('ticketKey', { token: member })).output.key).toBe(ticketKey)
    const taken = await ask('setTicketKey', { token: asha.token, body: { ticketKey } })
    expect([taken.status, taken.refusal.code]).toEqual([409, 'ticket_key_taken'])
  })
})

describe('money comes in', () => {
  test("GET /wallet/checkout names the address of the browser's payment script", async () => {
    const { mode, script_url } = (await ask('checkout', { token: member })).output
    expect([mode, new URL(script_url).origin]).toEqual(['sandbox', roz.sandboxUrl])
    expect((await fetch(script_url)).headers.get('content-type')).toMatch(/^text\/javascript/)
  })

  test('POST /wallet/add opens an order, the same one for the same key, and 409 for the key with another body', async () => {
    const once = { token: member, key: randomUUID() }
    const first = (await ask('addMoney', { ...once, body: { amount: 20, phoneNumber: PHONE } })).output
    orderId = first.order_id
    expect(orderId).toMatch(/^[0-9a-f]{32}$/)
    expect((await ask('addMoney', { ...once, body: { amount: 20, phoneNumber: PHONE } })).output).toEqual(first)
    const other = await ask('addMoney', { ...once, body: { amount: 21, phoneNumber: PHONE } })
    expect([other.status, other.refusal.code]).toEqual([409, 'idempotency_mismatch'])
  })

  test("POST /payments/confirm shows anyone an order's status, and answers 404 for an unknown order", async () => {
    const { data } = (await ask('confirmPayment', { body: { order_id: orderId } })).output
    expect(data).toEqual({ success: false, orderUserDetails: { order_id: orderId, order_amount: 20, order_status: 'PENDING' } })
    const unknown = (await ask('confirmPayment', { body: { order_id: 'nobody made it' } })).refusal
    expect(unknown).toEqual({ code: 'order_not_found', message: "We couldn't find any payment information for this order." })
  })

  test("GET /wallet/verify/{orderId} credits a paid order, only for its member; the gateway's webhook then changes nothing", async () => {
    await pay(roz.sandboxUrl, orderId, 'success')
    const balance = await creditOf(roz.url, { ...asha, token: member }, orderId)
    expect(balance).toBe(20)
    expect((await ask('verifyOrder', { token: member, params: { orderId } })).output).toEqual({ balance: 20, status: 'PAID' })
    expect((await ask('verifyOrder', { token: asha.token, params: { orderId } })).status).toBe(404)
    const { data } = (await ask('confirmPayment', { body: { order_id: orderId } })).output
    expect([data.success, data.orderUserDetails.order_status]).toEqual([true, 'PAID'])
  })

  test('POST /webhooks/cashfree accepts only what the gateway signed', async () => {
    const body = JSON.stringify({ type: 'PAYMENT_SUCCESS_WEBHOOK', data: { order: { order_id: orderId } } })
    const taken = await scenario.sendWebhook(body, scenario.signatureOf(body))
    expect([taken.status, await taken.json()]).toEqual([200, { received: true }])
    const refused = await scenario.sendWebhook(`${body} `, scenario.signatureOf(body))
    expect([refused.status, codeOf('paymentWebhook', 401, await refused.text())]).toEqual([401, 'webhook_signature'])
    expect((await ask('profile', { token: member })).output.user.wallet.balance).toBe(20)
  })
})

test('bank transfers, by which no money is added here, are not asked for, and none is there to confirm', async () => {
  expect((await ask('bankTransfers', { token: member })).output).toEqual({ account: null, transfers: [] })
  expect((await ask('askTransfer', { token: member, body: { amount: 10 } })).refusal.code).toBe('other_way_to_pay')
  const token = (await ask('adminLogin', { body: ADMIN })).output.token
  expect((await ask('transferLines', { token })).output).toEqual({ lines: [], nextCursor: null })
  expect((await ask('transfers', { token })).output).toEqual({ transfers: [], nextCursor: null })
  const params = { id: randomUUID() }
  const acts = [
    await ask('confirmTransferLine', { token, params, body: { reference: null } }),
    await ask('confirmTransfer', { token, body: BODIES.confirmTransfer }),
    await ask('approveTransfer', { token, params }),
  ]
  expect(acts.map(({ refusal }) => refusal.code)).toEqual(['bank_line_not_found', 'transfer_no_order', 'transfer_not_found'])
  expect((await ask('rejectTransfer', { token, params, body: BODIES.rejectTransfer })).refusal.code).toBe('transfer_not_found')
})

describe('AutoPay, which is off here', () => {
  test('GET and POST /autopay say so, and its webhook is accepted only with a signature', async () => {
    expect((await ask('autopay', { token: member })).output.autopay).toEqual({
      offered: false,
      amount: 30,
      below: 5,
      idle: null,
      mandate: null,
    })
    const refused = await ask('setUpAutopay', { token: member, key: randomUUID(), body: { phoneNumber: PHONE, consent: true } })
    expect([refused.status, refused.refusal.code]).toEqual([403, 'topups_paused'])
    for (const wish of ['pauseAutopay', 'resumeAutopay', 'retryAutopay', 'stopAutopay'] as const)
      expect((await ask(wish, { token: member })).refusal.code).toBe('not_found')
    expect((await ask('mandateWebhook', {})).refusal.code).toBe('webhook_signature')
  })

  test('the team sees none, and can stop none', async () => {
    const token = (await ask('adminLogin', { body: ADMIN })).output.token
    expect((await ask('adminAutopay', { token })).output).toEqual({ mandates: [], nextCursor: null })
    expect((await ask('adminAutopayCsv', { token })).text.trimEnd().split('\r\n')).toHaveLength(1)
    expect((await ask('adminAutopayFigures', { token })).output).toEqual({ states: [], open: 0, late: 0, days: [] })
    const body = { status: 'on' as const, reason: 'The payer asked by phone.' }
    expect((await ask('adminStopAutopay', { token, params: { id: 'f'.repeat(32) }, body })).refusal.code).toBe('not_found')
  })
})

describe('the day', () => {
  test("GET /rounds/current shows today's round to anyone, with hasParticipated to a member", async () => {
    const today = dayAt(Date.parse(await readClock(roz.url)))
    const { output } = await ask('currentRound')
    expect(output).toMatchObject({
      id: today,
      status: 'open',
      totalAmount: 0,
      hasParticipated: false,
      split: { need: 60, reward: 30, platform: 10, winners: 1 },
      lastImpactStory: null,
      lastWinner: null,
      drawAt: null,
    })
    expect(Date.parse(output.endTime)).toBe(Date.parse(`${today}T00:00:00+05:30`) + 86_400_000)
    const mine = await ask('currentRound', { token: member })
    expect(mine.headers.get('cache-control')).toBe('private, no-store')
  })

  test('POST /rounds/join takes one rupee once, and answers with a ticket of the day', async () => {
    const once = { token: member, body: {}, key: randomUUID() }
    const first = (await ask('joinRound', once)).output
    expect(first).toEqual({
      balance: 19,
      ticket: {
        day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        ticket: expect.stringMatching(/^[0-9a-f]{64}$/),
        receipt: expect.any(Object),
      },
    })
    expect((await ask('joinRound', once)).output).toEqual(first)
    const again = await ask('joinRound', { token: member, body: {}, language: 'hi' })
    expect([again.status, again.refusal.message]).toEqual([409, REFUSALS.already_joined.hi])
    expect((await ask('joinRound', { token: asha.token })).status).toBe(200)
    expect((await ask('currentRound', { token: member })).output.hasParticipated).toBe(true)
  })

  test('POST /admin/login opens a session for an administrator, and answers everyone else like a wrong login', async () => {
    const answer = (await ask('adminLogin', { body: ADMIN })).output
    expect(answer.user).toMatchObject({ role: 'admin', staffRole: 'owner' })
    admin = answer.token
    const refused = await ask('adminLogin', { body: { email, password: 'a new password' } })
    expect([refused.status, refused.refusal.message]).toEqual([401, 'Invalid email or password'])
    const { until } = (await ask('stepUp', { token: admin, body: { password: ADMIN.password } })).output
    expect(Date.parse(until)).toBeGreaterThan(Date.parse(await readClock(roz.url)))
    expect((await ask('stepUp', { token: admin, body: { password: 'wrong' } })).refusal.code).toBe('wrong_password')
  })

  test('POST /admin/trigger-draw closes, draws and settles; a second call is answered 409', async () => {
    const { message, round } = (await ask('triggerDraw', { token: admin, body: {} })).output
    expect([message, round.status, round.totalParticipants, round.totalAmount]).toEqual(['Draw triggered successfully!', 'settled', 2, 2])
    const again = await ask('triggerDraw', { token: admin, body: { day: round.id } })
    expect([again.status, again.refusal.message]).toEqual([409, "Today's round is already closed."])
    const unknown = await ask('triggerDraw', { token: admin, body: { day: '2001-01-01' } })
    expect([unknown.status, unknown.refusal.code]).toEqual([404, 'round_not_found'])
  })

  test('GET /rounds/history and /rounds/stats show the same of it', async () => {
    const [item] = (await ask('roundHistory', { token: member })).output.results
    const day = item?.date ?? ''
    expect((await ask('userRupee', { token: member, params: { day } })).output.rupee).toEqual(item?.rupee)
    const { name } = financialYearOf(day as IstDay)
    expect((await ask('memberYear', { token: member, params: { year: name } })).output).toMatchObject({ year: name, rounds: 1 })
    // No tax was withheld here.
    expect((await ask('setPan', { token: member, body: BODIES.setPan })).refusal.code).toBe('pan_not_needed')
    expect(item).toMatchObject({
      status: 'settled',
      participated: true,
      totalParticipants: 2,
      totalAmount: 2,
      prizeAmount: 0.6,
      charityAmount: 1.2,
    })
    const stats = (await ask('roundStats', { token: member })).output
    expect(stats).toEqual({ totalParticipated: 1, totalWon: item?.isWinner === true ? 0.6 : 0, winRate: item?.isWinner === true ? 100 : 0 })
    const [mine, hers] = await Promise.all([member, asha.token].map(async (token) => (await ask('roundStats', { token })).output.totalWon))
    expect((mine ?? 0) + (hers ?? 0)).toBe(0.6)
    const [won, lost] = (mine ?? 0) > 0 ? [member, asha.token] : [asha.token, member]
    expect((await ask('ownWins', { token: won })).output.wins).toMatchObject([{ day, prize: 0.6, left: 0.6, passedOn: null }])
    expect((await ask('ownWins', { token: lost })).output.wins).toEqual([])
    expect((await ask('ownMilestones', { token: won })).output).toMatchObject({ days: 1, weeks: 0, reached: [] })
    expect((await ask('passOn', { token: lost, params: { day }, body: { amount: 0.3 } })).refusal.code).toBe('not_found')
  })

  test('a story is muted only by a member whose rupee is in it', async () => {
    const params = { id: randomUUID() }
    expect((await ask('storyMute', { token: member, params })).output).toEqual({ isGiver: false, muted: false })
    expect((await ask('muteStory', { token: member, params, body: { muted: true } })).refusal.code).toBe('story_not_found')
  })

  test('GET /impact/stats counts what the member has contributed', async () => {
    expect((await ask('impactStats', { token: member })).output).toEqual({ totalDonated: 1, charitiesSupported: 0, daysActive: 1 })
  })
})

describe('money goes out', () => {
  test('POST /wallet/withdraw holds the amount at once, and answers the same withdrawal for the same key', async () => {
    const once = { token: member, key: randomUUID(), body: { amount: 10, bankDetail: BANK } }
    const first = (await ask('withdraw', once)).output
    expect(first.withdrawal).toMatchObject({
      amount: 10,
      status: 'pending',
      bank: { name: 'HDFC Bank', lastFour: '9012' },
      reference: null,
      reason: null,
    })
    expect((await ask('withdraw', once)).output).toEqual(first)
    const more = await ask('withdraw', { token: member, body: { amount: 30, bankDetail: BANK } })
    expect([more.status, more.refusal.message]).toEqual([409, 'Insufficient balance'])
  })

  test('GET /wallet/withdrawals and /wallet/transactions list it, page by page and in the requested language', async () => {
    expect((await ask('withdrawals', { token: member })).output.withdrawals).toHaveLength(1)
    const all = (await ask('transactions', { token: member })).output
    expect(all.nextCursor).toBeNull()
    expect(all.transactions.map(({ type, amount, status }) => [type, amount, status])).toEqual(
      expect.arrayContaining([
        ['credit', 20, 'completed'],
        ['debit', 1, 'completed'],
        ['debit', 10, 'pending'],
      ]),
    )
    const paged: typeof all.transactions = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: Record<string, string> = { limit: '1', ...(cursor === '' ? {} : { cursor }) }
      const page: typeof all = (await ask('transactions', { token: member, query })).output
      paged.push(...page.transactions)
      cursor = page.nextCursor
    }
    expect(paged).toEqual(all.transactions)
    const hindi = (await ask('transactions', { token: member, language: 'hi' })).output.transactions
    for (const { description } of hindi) expect(description).toMatch(HINDI)
  })

  test('GET /wallet/transactions/{id} is its receipt, only for its owner', async () => {
    const [newest] = (await ask('transactions', { token: member })).output.transactions
    const params = { id: newest?.id ?? '' }
    const { receipt } = (await ask('receipt', { token: member, params })).output
    expect(receipt).toMatchObject({ id: newest?.id, amount: newest?.amount, status: newest?.status })
    for (const theirs of [
      { token: asha.token, params },
      { token: member, params: { id: 'nothing' } },
    ]) {
      const { status, refusal } = await ask('receipt', theirs)
      expect([status, refusal.code]).toEqual([404, 'transaction_not_found'])
    }
  })
})

test('the help desk records who is helped and by which consent, with bills', () => runHelp(scenario, { admin, picture: PNG }))

test('an owner invites, changes and removes staff, and the staff log says so', () => runStaff(scenario, admin))

test('the portal ends withdrawals', () => runPayouts(scenario, { admin, member, other: asha.token }))

describe('stories', () => {
  storyTests(() => ({ scenario, admin }))

  test('public GET calls have an ETag and answer it with 304', async () => {
    for (const name of ['home', 'stories'] as const) {
      const etag = (await ask(name)).headers.get('etag') ?? ''
      expect(etag, name).toMatch(/^(W\/)?"[^"]+"$/)
      const again = await fetch(`${roz.url}/api${api[name].path}`, { headers: { 'if-none-match': etag } })
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
    }
    // The current round carries the server's time: each answer differs.
    expect((await ask('currentRound')).headers.get('etag')).toMatch(/^(W\/)?"[^"]+"$/)
    expect((await ask('currentRound', { token: asha.token })).headers.get('etag')).toBeNull()
  })
})

describe('notices, messages and the portal', () => {
  test('GET /notifications lists in the requested language, POST /notifications/read marks', async () => {
    const listed = await eventually('the notice of the withdrawal', async () => {
      const { output } = await ask('notifications', { token: member })
      return output.notifications.some((notice) => notice.kind === 'withdrawal_requested') ? output : undefined
    })
    expect(listed.unread).toBe(listed.notifications.length)
    for (const { title, body } of (await ask('notifications', { token: member, language: 'hi' })).output.notifications)
      expect(title + body).toMatch(HINDI)
    const [first] = listed.notifications
    expect((await ask('readNotifications', { token: member, body: { ids: [first?.id ?? ''] } })).output.unread).toBe(listed.unread - 1)
    expect((await ask('readNotifications', { token: member, body: {} })).output.unread).toBe(0)
  })

  test('POST /contact answers 201 with a ticket, and support gets the mail', () => runContact(scenario, email))

  test('the portal answers a message of the contact form', () => runMessages(scenario, admin))

  test('the portal counts the real data, and edits the site', () => runPortal(scenario, { admin, email }))

  test('a member lists and ends sessions, says “This was not me”, and the portal ends the hold', () =>
    runHold(scenario, { admin, member: asha }))

  test('the day is published, and its member finds their own part in it', async () => {
    const [settled] = (await ask('roundHistory', { token: member })).output.results
    await runOpenBooks(scenario, { member, day: parseDay(settled?.date ?? '') as IstDay })
    // By the next morning the administrator's session has idled out.
    admin = (await ask('adminLogin', { body: ADMIN })).output.token
    const { rounds } = (await ask('adminRounds', { token: admin })).output
    expect(rounds.find((round) => round.day === settled?.date)).toMatchObject({ status: 'settled', waitsFor: [], books: 'published' })
    expect((await ask('adminRoundsCsv', { token: admin })).text).toContain(`${settled?.date},settled,2,2,1.2,`)
    await expectCacheRules(roz.url, { day: settled?.date ?? '', helped: 'Meera' })
  })

  test('a member exports their data, sets their preferences, and deletes the account', () => runRights(scenario, member))

  test('POST /auth/logout ends the session', async () => {
    expect((await ask('logout', { token: member })).status).toBe(204)
    expect((await ask('me', { token: member })).status).toBe(401)
    expect((await ask('logout', { token: admin })).status).toBe(204)
    expect((await ask('adminStats', { token: admin })).status).toBe(401)
  })
})

test('the audit finds nothing', () => expectCleanAudit(roz.dataDir))

test('no call was left out, and each accepted write of the portal left one entry in the staff log', () => {
  expect(Object.keys(api).filter((name) => !scenario.visited.has(name as CallName))).toEqual([])
  expect(scenario.auditWatch.listUnseen()).toEqual([])
})
