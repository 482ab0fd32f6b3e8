/** The second table of docs/roles.txt: which act needs how many persons. Each row is tried over HTTP. The limit is ₹10. */
import { createHash, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { api } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import type { StaffRole } from '@roz/contract/roles.ts'
import { nextDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { paise, wholeRupees } from '@roz/core/money.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { closeWallet, giveRest } from '../ledger/closing.ts'
import { recordDraw } from '../ledger/draw.ts'
import { addMoney, DAY, endDay, hashOf, newMember, newMembers, openDay } from '../ledger/testing/fixtures.ts'
import { createJoinBatcher } from '../ledger/join-batcher.ts'
import { recordSeal } from '../ledger/rounds.ts'
import { settleRound } from '../ledger/settlement.ts'
import { captureTopup, createTopup } from '../ledger/topups.ts'
import { bookPayout } from '../ledger/withdrawals.ts'
import { type Answered, makeMember, makeStaff, publicIdOf } from '../testing/calls.ts'
import { MEERA } from '../testing/help-world.ts'
import { insertFinding, insertSeenSettlement } from '../testing/seen-settlement.ts'
import { openServicesWorld, type ServicesWorld } from '../testing/services-world.ts'
import { insertLine } from '../testing/statement.ts'
import { BANK, TRANSFER_ACCOUNT } from '../testing/wallet-world.ts'

let services: ServicesWorld
let db: ServicesWorld['database']['db']
beforeAll(async () => {
  services = await openServicesWorld({
    payouts: undefined,
    settings: { APPROVAL_ABOVE: '10', PAYMENTS: 'bank-transfer', ...TRANSFER_ACCOUNT },
  })
  db = services.database.db
  await makeStaff(db, 'owner')
  await fillHouse()
  const giver = await newMember(db)
  await addMoney(db, giver, wholeRupees(200))
  await inTransaction(db, (tx) => giveRest(tx, { memberId: giver, ref: randomUUID() }))
}, 120_000)
/** This test draws nothing, so no verifier reads its days. */
afterAll(async () => {
  await services.calls.close()
  await services.services.worker.stop()
  await services.database.drop()
})

/** Three hundred members joined: the platform has ₹30. */
async function fillHouse(): Promise<void> {
  const members = await newMembers(db, 300, { rupees: 1 })
  const batcher = createJoinBatcher({ db })
  await Promise.all(members.map((memberId) => batcher.join({ memberId })))
  await endDay(services.database, DAY)
  await inTransaction(db, async (tx) => {
    await recordSeal(tx, DAY, { root: hashOf('root'), drawAt: new Date(startOfDayMs(nextDay(DAY))) })
    await recordDraw(tx, { day: DAY, randomness: hashOf('r'), seed: hashOf('s'), winners: members.slice(0, 1), taxOn: () => paise(0n) })
  })
  await openDay(services.database, nextDay(DAY))
  expect((await inTransaction(db, (tx) => settleRound(tx, DAY))).ok).toBe(true)
}

const COLUMNS = ['act', 'alone', 'again', 'never', 'young', 'mailed', 'call'] as const
type Row = Readonly<Record<(typeof COLUMNS)[number], string>>
const table = await readFile(new URL('../../../docs/roles.txt', import.meta.url), 'utf8')
const lines = table.split('\n')
const rows = lines.slice(lines.findIndex((line) => line.startsWith('act ')) + 1).flatMap((line) => {
  const cells = line.trim().split(/ {2,}/)
  return cells.length === COLUMNS.length ? [Object.fromEntries(COLUMNS.map((name, at) => [name, cells[at] ?? ''])) as Row] : []
})

/** The outcome of an act: `done`, `waits`, or its refusal. */
const wordOf = ({ status, body }: Answered): string => {
  if (body?.code !== undefined) return body.code
  if (status >= 300) return String(status)
  const [result] = body.results ?? []
  if (typeof result?.code === 'string') return result.code
  if ((body.staff?.asked ?? []).length > 0) return 'waits'
  if (body.withdrawal?.returnFirst) return 'waits'
  const state = (result ?? body.withdrawal ?? body.refund ?? body.item ?? body.disbursement ?? body.entry ?? body.finding ?? body.transfer)
    ?.status
  return state === 'awaiting_second' || state === 'requested' || state === 'asked' ? 'waits' : 'done'
}
const ask = (as: bigint, call: string, body: object = {}): Promise<Answered> => services.calls.ask(call, { as, body })
const staff = (role: StaffRole = 'finance', since?: string): Promise<bigint> => makeStaff(db, role, since)
/** Somebody of finance whose mailbox is the member's. */
async function ownHand(member: bigint): Promise<bigint> {
  const person = await staff()
  await db.query(sql`
    update member set email = (select replace(email, '@', '+own@') from member where id = ${member}::bigint) where id = ${person}::bigint`)
  return person
}

async function pay(member: bigint, rupees: number, times = 1): Promise<string> {
  const orderId = randomUUID().replaceAll('-', '')
  const amount = wholeRupees(rupees)
  await inTransaction(db, (tx) => createTopup(tx, { orderId, memberId: member, amount }))
  for (let n = 1; n <= times; n++)
    await inTransaction(db, (tx) => captureTopup(tx, { orderId, paymentId: `${orderId}-${n}`, orderAmount: amount }))
  return orderId
}
async function funded(): Promise<bigint> {
  const member = await makeMember(db)
  await pay(member, 50)
  return member
}
const withdrawal = async (member: bigint, amount: number): Promise<string> =>
  (await ask(member, 'POST /wallet/withdraw', { amount, bankDetail: BANK })).body.withdrawal.id
async function suspended(owner: bigint, rupees: number): Promise<string> {
  const orderId = await pay(owner, rupees, 2)
  return String((await db.one<{ id: bigint }>(sql`select id from suspense_item where order_id = ${orderId}::text`)).id)
}
async function receipt(): Promise<string> {
  const hash = createHash('sha256').update(randomUUID()).digest('hex')
  await db.query(sql`
    insert into receipt (hash, file, bytes, width, height, uploaded_by)
    values (${Buffer.from(hash, 'hex')}::bytea, ${`receipts/${hash.slice(0, 32)}.webp`}::text, 10, 10, 10, ${await staff()}::bigint)`)
  return hash
}
const beneficiary = async (by: bigint): Promise<string> => (await ask(by, 'POST /admin/beneficiaries', MEERA)).body.beneficiary.id

let references = 0
/** An order that is paid by a bank transfer, and the bank's number of it. */
async function transferOrder(member: bigint, rupees: number) {
  const orderId = randomUUID().replaceAll('-', '')
  // It has no 0 and no 1.
  const digits = Array.from((++references).toString(8).padStart(2, '0'), (digit) => Number(digit) + 2)
  const reference = `RZAAAAAA${digits.join('')}`
  await inTransaction(db, (tx) => createTopup(tx, { orderId, memberId: member, amount: wholeRupees(rupees) }))
  await db.query(sql`
    insert into bank_transfer_order (order_id, reference, amount, expires_at)
    values (${orderId}::text, ${reference}::text, ${wholeRupees(rupees)}::bigint, roz_now() + interval '10 days')`)
  return { reference, bankReference: `UTR41230000${references + 1000}` }
}

/** A subject of the act, made anew: how a person decides about it, and who never may. `act` gets the state that the person sees. */
type Subject = {
  readonly act: (as: bigint, seen: 'first' | 'second') => Promise<Answered>
  readonly excluded?: bigint
}
type Make = (rupees: number) => Promise<Subject>
const seenOf = (seen: 'first' | 'second', first = 'requested') => ({ status: seen === 'first' ? first : 'awaiting_second' })

type Decide = (as: bigint, id: string, seen: { status: string }) => Promise<Answered>
const ofWithdrawal =
  (decide: Decide): Make =>
  async (rupees) => {
    const member = await funded()
    const id = await withdrawal(member, rupees)
    return { act: (as, seen) => decide(as, id, seenOf(seen)), excluded: await ownHand(member) }
  }
const ofRefund =
  (decide: Decide): Make =>
  async (rupees) => {
    const payer = await makeMember(db)
    const order_id = await pay(payer, rupees)
    const { id } = (await ask(payer, 'POST /wallet/refunds', { order_id, amount: rupees, reason: 'Paid twice' })).body.refund
    return { act: (as, seen) => decide(as, id, seenOf(seen)), excluded: await ownHand(payer) }
  }
const ofSuspense =
  (
    what: 'credit' | 'pay',
    item: (rupees: number) => Promise<{ readonly id: string; readonly owner: bigint; readonly body: object }>,
  ): Make =>
  async (rupees) => {
    const { id, owner, body } = await item(rupees)
    return {
      act: (as, seen) => ask(as, `POST /admin/suspense/${id}/${what}`, { ...body, ...seenOf(seen, 'open') }),
      excluded: await ownHand(owner),
    }
  }
const ofTransfer =
  (confirm: (as: bigint, order: Awaited<ReturnType<typeof transferOrder>> & { rupees: number }) => Promise<Answered>): Make =>
  async (rupees) => {
    const owner = await funded()
    const order = await transferOrder(owner, rupees)
    let id: string | undefined
    const act: Subject['act'] = async (as, seen) => {
      if (seen === 'second') return ask(as, `POST /admin/transfers/${id}/approve`)
      const answer = await confirm(as, { ...order, rupees })
      id = answer.body.transfer?.id
      return answer
    }
    return { act, excluded: await ownHand(owner) }
  }
/** The money of a withdrawal that came back after its member had closed the account. */
async function returned(rupees: number): Promise<string> {
  const member = await makeMember(db)
  await pay(member, rupees)
  const paid = await withdrawal(member, rupees)
  await inTransaction(db, (tx) => bookPayout(tx, { id: paid, word: 'paid' }))
  await inTransaction(db, async (tx) => {
    await closeWallet(tx, member)
    await tx.query(sql`update member set deleted_at = roz_now(), email = null, name = 'Closed account' where id = ${member}::bigint`)
  })
  await inTransaction(db, (tx) => bookPayout(tx, { id: paid, word: 'reversed' }))
  return String((await db.one<{ id: bigint }>(sql`select id from suspense_item where payment_id = ${`wd_reversed:${paid}`}::text`)).id)
}
/** A request is the first voice; another person approves it. */
const ofOutlay =
  (path: string, request: string, fieldsOf: (rupees: number) => object, excluded?: bigint): Make =>
  async (rupees) => {
    const body = { amount: rupees, purpose: 'school shoes', ...fieldsOf(rupees), receipts: [await receipt()] }
    let id: string | undefined
    const act: Subject['act'] = async (as) => {
      if (id !== undefined) return ask(as, `POST /admin/${path}/${id}/approve`, { status: 'requested' })
      const answer = await ask(as, `POST /admin/${request}`, body)
      if (wordOf(answer) === 'waits') id = (answer.body.disbursement ?? answer.body.entry).id
      return answer
    }
    return { act, ...(excluded === undefined ? {} : { excluded }) }
  }
async function disbursed(by: bigint, rupees: number): Promise<Answered> {
  const beneficiaryId = await beneficiary(await staff('editor'))
  return ask(by, 'POST /admin/disbursements', { amount: rupees, purpose: 'school shoes', beneficiaryId, receipts: [await receipt()] })
}
async function arrival(fields: object, before?: object): Promise<Subject> {
  const payer = await staff()
  const { id } = (await disbursed(payer, 5)).body.disbursement
  const { today } = await db.one<{ today: string }>(sql`select ist_day(roz_now())::text as today`)
  const record = (as: bigint, said: object) =>
    ask(as, `POST /admin/disbursements/${id}/arrival`, { status: 'booked', how: 'call', on: today, ...said })
  if (before !== undefined) await record(await staff(), before)
  return { act: (as) => record(as, fields), excluded: payer }
}
async function member(done: string | undefined, call: string): Promise<Subject> {
  const id = await makeMember(db)
  const path = `POST /admin/users/${await publicIdOf(db, id)}`
  const reason = { reason: 'We spoke on the phone.' }
  if (done !== undefined) await ask(await staff('support'), `${path}/${done}`, reason)
  return { act: (as) => ask(as, `${path}/${call}`, reason), excluded: await ownHand(id) }
}
async function teamMate(call: (id: string) => readonly [call: string, body: object], role: StaffRole = 'support'): Promise<Subject> {
  const person = await staff(role)
  await db.query(sql`insert into staff_totp (member_id, sealed, confirmed_at) values (${person}::bigint, 'x', roz_now())`)
  const [path, body] = call(await publicIdOf(db, person))
  return { act: (as) => ask(as, path, body), excluded: person }
}
const why = { reason: 'She has left us.' }
const STORY = { title: 'Shoes', description: 'For the new school year.', charity: { name: 'Meera', description: 'School shoes' } }

const acts: Readonly<Record<string, Make>> = {
  'approve a withdrawal': ofWithdrawal((as, id, seen) => ask(as, `POST /admin/withdrawals/${id}/approve`, seen)),
  'approve several at once': ofWithdrawal((as, id, seen) => ask(as, 'POST /admin/withdrawals/approve', { rows: [{ id, ...seen }] })),
  'pay by hand': async () => {
    const [id, payer] = [await withdrawal(await funded(), 10), await staff()]
    await ask(payer, `POST /admin/withdrawals/${id}/approve`, { status: 'requested' })
    const done = { status: 'approved', bankReference: 'UTR0000000042' }
    const other = await staff()
    const act: Subject['act'] = async (as) => {
      await ask(as === other ? payer : as, `POST /admin/withdrawals/${id}/bank`, { status: 'approved' })
      return ask(as, `POST /admin/withdrawals/${id}/complete`, done)
    }
    return { act, excluded: other }
  },
  'say it was not paid': async (rupees) => {
    const member = await funded()
    const id = await withdrawal(member, rupees)
    const act: Subject['act'] = async (as) => {
      await db.query(sql`
        update withdrawal set status = 'approved', approved_at = roz_now(), shown_to = ${as}::bigint, shown_at = roz_now()
         where id = ${id}::uuid and shown_to is null`)
      return ask(as, `POST /admin/withdrawals/${id}/not-paid`, { status: 'approved', reason: 'The bank refused it' })
    }
    return { act, excluded: await ownHand(member) }
  },
  'take a payment back': async (rupees) => {
    const member = await funded()
    const [id, payer] = [await withdrawal(member, rupees), await staff()]
    await db.query(sql`
      update withdrawal set status = 'approved', approved_at = roz_now(), shown_to = ${payer}::bigint, shown_at = roz_now() where id = ${id}::uuid`)
    await ask(payer, `POST /admin/withdrawals/${id}/complete`, { status: 'approved', bankReference: 'UTR0000000044' })
    const body = { status: 'paid', reason: 'The account is closed', line: null }
    return { act: (as) => ask(as, `POST /admin/withdrawals/${id}/came-back`, body), excluded: await ownHand(member) }
  },
  'approve a refund': ofRefund((as, id, seen) => ask(as, `POST /admin/refunds/${id}/approve`, seen)),
  'approve several refunds': ofRefund((as, id, seen) => ask(as, 'POST /admin/refunds/approve', { rows: [{ id, ...seen }] })),
  'credit to its member': ofSuspense('credit', async (rupees) => {
    const owner = await funded()
    return { id: await suspended(owner, rupees), owner, body: { memberId: await publicIdOf(db, owner) } }
  }),
  'credit to another': ofSuspense('credit', async (rupees) => {
    const owner = await funded()
    return { id: await suspended(await funded(), rupees), owner, body: { memberId: await publicIdOf(db, owner) } }
  }),
  'pay from suspense': ofSuspense('pay', async (rupees) => ({
    id: await returned(rupees),
    owner: await funded(),
    body: { bankReference: 'UTR0000000042' },
  })),
  'refund from suspense': async (rupees) => {
    const owner = await funded()
    const item = await suspended(owner, rupees)
    const find = () => db.one<{ id: string; status: string }>(sql`select id, status from refund where suspense_id = ${item}::bigint`)
    const act: Subject['act'] = async (as, seen) => {
      if (seen === 'second') return ask(as, `POST /admin/refunds/${(await find()).id}/approve`, { status: 'awaiting_second' })
      const answer = await ask(as, `POST /admin/suspense/${item}/refund`, { status: 'open' })
      return answer.status === 200 ? { ...answer, body: { refund: await find() } } : answer
    }
    return { act, excluded: await ownHand(owner) }
  },
  'pay help': async (rupees) => {
    const writer = await staff()
    const beneficiaryId = await beneficiary(writer)
    return ofOutlay('disbursements', 'disbursements', () => ({ beneficiaryId }), writer)(rupees)
  },
  'book help that came back': async (rupees) => {
    const payer = await staff()
    const first = await disbursed(payer, 12)
    const { id } = first.body.disbursement
    if (wordOf(first) === 'waits') await ask(await staff(), `POST /admin/disbursements/${id}/approve`, { status: 'requested' })
    return ofOutlay('disbursements', `disbursements/${id}/correct`, () => ({ purpose: 'returned' }), payer)(rupees)
  },
  'pay from the house': (rupees) =>
    ofOutlay('house-entries', 'house-entries', () => ({ kind: 'platform_out' }))(rupees === 10 ? 5 : rupees),
  'record a settlement': ofOutlay('house-entries', 'settlements', () => ({
    reference: `utr${randomUUID().slice(0, 8)}`,
    day: DAY,
    fee: 0,
    purpose: undefined,
  })),
  'record what was settled': async (rupees) => {
    const settlement = await insertSeenSettlement(db, { amount: rupees, fee: 0 })
    let id: string | undefined
    const act: Subject['act'] = async (as) => {
      if (id !== undefined) return ask(as, `POST /admin/house-entries/${id}/approve`, { status: 'requested' })
      const answer = await ask(as, `POST /admin/gateway-settlements/${settlement}/record`, { amount: rupees, fee: 0 })
      if (wordOf(answer) === 'waits') id = answer.body.entry.id
      return answer
    }
    return { act }
  },
  'close a finding': async (rupees) => {
    const id = await insertFinding(db, rupees)
    const act: Subject['act'] = (as, seen) =>
      ask(as, `POST /admin/findings/${id}/close`, { status: seen === 'second' ? 'awaiting_second' : 'open', reason: 'A fee of July' })
    return { act }
  },
  'confirm a bank transfer': ofTransfer((as, { rupees: amount, ...order }) =>
    ask(as, 'POST /admin/transfers', { ...order, amount, day: nextDay(DAY) }),
  ),
  'confirm a bank line': ofTransfer(async (as, { rupees, reference }) => {
    const line = await insertLine(db, rupees, `NEFT ${reference}`)
    return ask(as, `POST /admin/transfers/lines/${line}/confirm`, { reference })
  }),
  'confirm an arrival': () => arrival({ received: true }),
  'report help as lost': () => arrival({ received: false, reason: 'Nothing came' }),
  'confirm help after all': () => arrival({ received: true }, { received: false, reason: 'Nothing came' }),
  'record a beneficiary': async () => ({ act: (as) => ask(as, 'POST /admin/beneficiaries', { ...MEERA, consent: null }) }),
  'change or record consent': async () => {
    const id = (await ask(await staff('editor'), 'POST /admin/beneficiaries', { ...MEERA, consent: null })).body.beneficiary.id
    return { act: (as) => services.calls.ask(`PUT /admin/beneficiaries/${id}`, { as, body: { consent: MEERA.consent } }) }
  },
  'revoke a consent': async () => {
    const payer = await staff()
    const { body } = await disbursed(payer, 5)
    const act: Subject['act'] = (as) =>
      services.calls.ask(`PUT /admin/beneficiaries/${body.disbursement.beneficiary.id}`, { as, body: { revoked: true } })
    return { act, excluded: payer }
  },
  'withhold a bill': async () => {
    const payer = await staff()
    const { body } = await disbursed(payer, 5)
    const { hash } = body.disbursement.receipts[0]
    return { act: (as) => ask(as, `POST /admin/receipts/${hash}/withhold`, { reason: 'It shows a phone' }), excluded: payer }
  },
  'publish a follow-up': async () => {
    const payer = await staff()
    const { id, beneficiary } = (await disbursed(payer, 5)).body.disbursement
    await db.query(sql`
      insert into arrival (outlay_id, received, how, heard_on, recorded_at, recorded_by)
      values (${id}::uuid, true, 'call', ${DAY}::date, roz_now() - interval '15 days', ${await staff()}::bigint)`)
    await db.query(sql`update beneficiary set follow_up_on = consented_on where id = ${beneficiary.id}::uuid`)
    const act: Subject['act'] = (as) => ask(as, `POST /admin/disbursements/${id}/follow-ups`, { language: 'en', words: 'The shoes fit.' })
    return { act, excluded: payer }
  },
  'withhold a follow-up': async () => {
    const payer = await staff('owner')
    const { body } = await disbursed(payer, 5)
    const id = randomUUID()
    await db.query(sql`
      insert into follow_up (id, outlay_id, weeks, written_in, words, recorded_by)
      values (${id}::uuid, ${body.disbursement.id}::uuid, 2, 'en', 'The shoes fit.', ${await staff()}::bigint)`)
    return { act: (as) => ask(as, `POST /admin/follow-ups/${id}/withhold`, { reason: 'It names the street' }), excluded: payer }
  },
  'end the follow-ups': async () => {
    const payer = await staff()
    const { id } = (await disbursed(payer, 5)).body.disbursement.beneficiary
    await db.query(sql`update beneficiary set follow_up_on = consented_on where id = ${id}::uuid`)
    return { act: (as) => services.calls.ask(`PUT /admin/beneficiaries/${id}`, { as, body: { followUps: null } }), excluded: payer }
  },
  'publish a story': async () => {
    const { id } = (await ask(await staff('editor'), 'POST /impact/stories', STORY)).body.story
    return { act: (as) => services.calls.ask(`PUT /impact/stories/${id}`, { as, body: { isActive: true } }) }
  },
  'invite to the team': async () => ({
    act: (as) => ask(as, 'POST /admin/staff', { name: 'Meera Nair', email: `${randomUUID()}@example.org`, role: 'editor' }),
  }),
  'change a role': () => teamMate((id) => [`PUT /admin/staff/${id}`, { role: 'editor' }]),
  'remove from the team': () => teamMate((id) => [`POST /admin/staff/${id}/remove`, why]),
  'reset an app': () => teamMate((id) => [`POST /admin/staff/${id}/reset-totp`, why]),
  "change an owner's role": () => teamMate((id) => [`PUT /admin/staff/${id}`, { role: 'editor' }], 'owner'),
  'remove an owner': () => teamMate((id) => [`POST /admin/staff/${id}/remove`, why], 'owner'),
  "reset an owner's app": () => teamMate((id) => [`POST /admin/staff/${id}/reset-totp`, why], 'owner'),
  'end a suspension': () => member('suspend', 'reinstate'),
  'end a hold': () => member('hold', 'release'),
}

const mailedAfter = async (job: bigint): Promise<string[]> =>
  (
    await db.query<{ what: string }>(sql`
      select distinct payload -> 'data' ->> 'what' as what from job
       where id > ${job}::bigint and kind = 'mail' and payload ->> 'template' = 'team_changed'`)
  ).map(({ what }) => what)
const newestJob = async (): Promise<bigint> => (await db.one<{ id: bigint }>(sql`select coalesce(max(id), 0)::bigint as id from job`)).id

test('the table has a row for each act, with a call of the contract', () => {
  expect(rows.map(({ act }) => act)).toEqual(Object.keys(acts))
  const calls = Object.values<EndpointSpec>(api).map(({ method, path }) => `${method} ${path}`)
  for (const { call } of rows) expect(calls).toContain(call)
})

describe.each(rows)('$act', ({ act, alone, again, never, young, mailed, call }) => {
  const make = (rupees: number): Promise<Subject> => (acts[act] as Make)(rupees)
  const endpoint = Object.values<EndpointSpec>(api).find(({ method, path }) => call === `${method} ${path}`)
  const decider = (since?: string) => staff(endpoint?.roles?.includes('finance') ? 'finance' : 'owner', since)

  test(`one person: ${alone}`, async () => {
    const [first, second] = [await decider(), await decider()]
    const small = await make(10)
    const before = await newestJob()
    expect(wordOf(await small.act(first, 'first'))).toBe(alone === 'two' ? 'waits' : 'done')
    expect(await mailedAfter(before)).toEqual(mailed === '-' ? [] : [mailed])
    if (alone === 'one') return
    const large = alone === 'two' ? small : await make(11)
    if (alone !== 'two') expect(wordOf(await large.act(first, 'first'))).toBe('waits')
    expect(wordOf(await large.act(first, 'second'))).toBe(again)
    expect(wordOf(await large.act(second, 'second'))).toBe('done')
  })

  test.skipIf(never === '-')(`never: ${never}`, async () => {
    const { act: decide, excluded } = await make(10)
    if (excluded === undefined) throw new Error('the act excludes nobody')
    expect(wordOf(await decide(excluded, 'first'))).toBe(never.split(': ')[1])
  })

  test.skipIf(young === '-')(`a young account: ${young}`, async () => {
    const large = await make(11)
    expect(wordOf(await large.act(await decider(), 'first'))).toBe('waits')
    expect(wordOf(await large.act(await decider('47 hours'), 'second'))).toBe(young)
    expect(wordOf(await large.act(await decider('48 hours'), 'second'))).toBe('done')
  })
})
