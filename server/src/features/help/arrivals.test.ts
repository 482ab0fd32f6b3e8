/** Whether help arrived: who may confirm it and how, what is refused, what two records at once leave behind, and who is told. */
import { startOfDayMs } from '@roz/core/ist-day.ts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { DAY } from '../../ledger/testing/fixtures.ts'
import { listAlarms } from '../../operation/alarms.ts'
import { makeStaff, testSecrets } from '../../testing/calls.ts'
import { forgetAlone } from '../../testing/database.ts'
import { useHelpWorld } from '../../testing/help-world.ts'
import { readHelped } from '../home/helped.ts'
import { seal } from './cases.ts'
import { readTodo } from '../desk/todo.ts'

const NOON = startOfDayMs(DAY) + 12 * 3_600_000
const world = useHelpWorld()
let today: string
let caller: bigint
beforeAll(async () => {
  await world.give(40_000)
  caller = await makeStaff(world.db, 'editor')
  ;({ today } = await world.db.one<{ today: string }>(sql`select ist_day(roz_now())::text as today`))
})
beforeEach(() => forgetAlone(world.database))

type Sent = Readonly<Record<string, unknown>>
/** ₹5 that finance paid alone to a person whose record the first editor wrote. */
async function pay(beneficiaryId?: string, as = world.staff.finance): Promise<string> {
  const { body, text } = await world.calls.ask('POST /admin/disbursements', {
    as,
    body: {
      amount: 5,
      purpose: 'school shoes',
      beneficiaryId: beneficiaryId ?? (await world.beneficiary()),
      receipts: [await world.bill()],
    },
  })
  if (body.disbursement?.status !== 'booked') throw new Error(text)
  return body.disbursement.id
}
const say = (id: string, fields: Sent = {}, as = caller) =>
  world.calls.ask(`POST /admin/disbursements/${id}/arrival`, {
    as,
    body: { status: 'booked', received: true, how: 'call', on: today, ...fields },
  })
const lost = (id: string, fields: Sent = {}, as = caller) =>
  say(id, { received: false, reason: 'Nothing came to her account', ...fields }, as)
const codeOf = (id: string, as = world.staff.finance) => world.calls.ask(`POST /admin/disbursements/${id}/arrival-code`, { as, body: {} })
const said = ({ status, body }: { status: number; body: { code?: string } }) => `${status} ${body.code ?? ''}`.trim()
const publicOf = (id: string) =>
  world.db.one<{ received: unknown; name: string | null }>(
    sql`select received, public_name as name from outlay_public where id = ${id}::uuid`,
  )
const todo = async (): Promise<readonly string[]> =>
  (await readTodo(world.db, { viewer: { memberId: caller, staffRole: 'editor' }, payoutsByHand: true })).map(({ code }) => code)
const alarms = async () => (await listAlarms(world.db)).filter(({ code }) => code === 'help_not_received')

/** The newest mail to the owner. */
const ownersTold = async (): Promise<object | undefined> => {
  const [mail] = await world.db.query<{ data: object }>(sql`
    select payload -> 'data' as data from job j join member m on m.email = j.payload ->> 'to'
     where j.payload ->> 'template' = 'team_changed' and m.id = ${world.staff.owner}::bigint order by j.id desc limit 1`)
  return mail?.data
}

test('somebody other than the payer confirms it once, and everybody reads how and when', async () => {
  const id = await pay()
  expect(said(await say(id, {}, world.staff.finance))).toBe('403 own_arrival')
  const { status, body } = await say(id)
  expect([status, body.disbursement.arrival]).toMatchObject([200, { received: true, how: 'call', on: today, reason: null, paper: null }])
  expect(said(await say(id))).toBe('409 arrival_recorded')
  expect(await publicOf(id)).toMatchObject({ received: { on: today, how: 'call' } })
  const log = await world.db.query<{ action: string }>(
    sql`select action from audit_log where subject = ${`outlay:${id}`}::text order by id`,
  )
  expect(log.map(({ action }) => action)).toEqual(['disbursement.book', 'disbursement.arrive'])
})

test('who wrote the record does not confirm, unless nobody else of the team is left', async () => {
  const id = await pay(undefined, world.staff.owner)
  expect(said(await say(id, {}, world.staff.editor))).toBe('403 own_arrival')
  const others = sql`role = 'admin' and id not in (${world.staff.owner}::bigint, ${world.staff.editor}::bigint) and staff_role in ('owner', 'finance', 'editor')`
  const away = await world.db.query<{ id: bigint; role: string }>(sql`select id, staff_role as role from member where ${others}`)
  await world.db.query(sql`update member set staff_role = 'auditor' where ${others}`)
  expect(said(await say(id, {}, world.staff.editor))).toBe('200')
  for (const { id: person, role } of away)
    await world.db.query(sql`update member set staff_role = ${role}::text where id = ${person}::bigint`)
})

test('of two records at once one counts; the database itself refuses the payer and a repetition', async () => {
  const other = await makeStaff(world.db, 'owner')
  for (let round = 0; round < 3; round++) {
    const id = await pay()
    const answers = await Promise.all([say(id), say(id, { how: 'visit' }, other)])
    expect(answers.map(said).toSorted()).toEqual(['200', '409 arrival_recorded'])
  }
  const id = await pay()
  const write = (by: bigint) =>
    world.db.query(
      sql`insert into arrival (outlay_id, received, how, heard_on, recorded_by) values (${id}::uuid, true, 'call', ${today}::date, ${by}::bigint)`,
    )
  await expect(write(world.staff.finance)).rejects.toThrow('said by the payer')
  await write(other)
  await expect(write(caller)).rejects.toThrow('said already')
})

test('a record names the state that the person saw, a day since the payment, and what its way needs', async () => {
  const id = await pay()
  const listed = (await world.calls.ask('GET /admin/disbursements', { as: caller })).body.disbursements[0]
  expect(listed.id).toBe(id)
  expect(said(await say(id, { status: 'requested' }))).toBe('409 changed_since_seen')
  expect(said(await say(id, { seen: 'something else' }))).toBe('409 changed_since_seen')
  for (const on of ['2026-01-01', '2099-01-01'])
    expect((await say(id, { on })).body.fields).toEqual({ on: 'The day lies between the payment and today' })
  expect((await say(id, { on: '2026-02-30' })).body.fields).toEqual({ on: 'Please give the day on which you learnt it' })
  expect((await say(id, { how: 'code' })).body.fields).toEqual({ code: 'Please enter the four digits that the receiver tells you' })
  expect((await say(id, { how: 'papers' })).body.fields).toEqual({ paper: 'Please add the picture of the signed paper' })
  expect((await say(id, { received: false })).body.code).toBe('invalid_input')
  expect(said(await say('00000000-0000-4000-8000-000000000000'))).toBe('404 disbursement_not_found')
  expect(said(await say(id, { seen: listed.seen }))).toBe('200')
})

test('a signed paper stays with the team, is kept, and proves nothing else', async () => {
  const [id, paper] = [await pay(), await world.bill()]
  expect(said(await say(id, { how: 'papers', paper: 'ab'.repeat(32) }))).toBe('404 receipt_not_found')
  expect((await say(id, { how: 'papers', paper })).body.disbursement.arrival).toMatchObject({ how: 'papers', paper })
  await world.jobs.forget_receipt({ hash: paper })
  expect((await world.calls.ask(`GET /admin/receipts/${paper}`, { as: caller })).status).toBe(200)
  expect((await world.calls.ask(`GET /receipts/${paper}`)).status).toBe(404)
  expect(said(await say(await pay(), { how: 'papers', paper }))).toBe('409 receipt_used')
  const bill = { amount: 5, purpose: 'school shoes', beneficiaryId: await world.beneficiary(), receipts: [paper] }
  expect(said(await world.calls.ask('POST /admin/disbursements', { as: world.staff.finance, body: bill }))).toBe('409 receipt_used')
})

test('the code is shown to the payer alone, told by the receiver, and guessed five times a day at most', async () => {
  const id = await pay()
  expect(said(await codeOf(id, caller))).toBe('403 arrival_payer')
  const { code } = (await codeOf(id)).body
  expect(code).toMatch(/^\d{4}$/)
  const wrong = code === '0000' ? '1111' : '0000'
  for (let guess = 0; guess < 5; guess++)
    expect((await say(id, { how: 'code', code: wrong })).body.fields).toEqual({
      code: 'This is not the code of this payment. Please ask the receiver again',
    })
  expect(said(await say(id, { how: 'code', code }))).toBe('429 too_many_requests')
  const second = await pay()
  const right = (await codeOf(second)).body.code
  expect((await say(second, { how: 'code', code: right })).body.disbursement.arrival).toMatchObject({ received: true, how: 'code' })
  expect(said(await codeOf(second))).toBe('409 arrival_recorded')
  const kept = await world.db.query<{ text: string }>(sql`
    select after::text as text from audit_log where subject in (${`outlay:${id}`}::text, ${`outlay:${second}`}::text) and after is not null`)
  for (const { text } of kept) expect(text).not.toMatch(new RegExp(`"(${code}|${right})"`))
})

test('wrong codes of the payer take no try from the person who may confirm', async () => {
  const id = await pay()
  const { code } = (await codeOf(id)).body
  const wrong = code === '0000' ? '1111' : '0000'
  for (let guess = 0; guess < 6; guess++)
    expect(said(await say(id, { how: 'code', code: wrong }, world.staff.finance))).toBe('403 own_arrival')
  expect(said(await say(id, { how: 'code', code }))).toBe('200')
})

test('help that did not arrive alarms the owners and waits on the to-do list until it arrives', async () => {
  const id = await pay()
  expect([await alarms(), await todo()]).toEqual([[], expect.not.arrayContaining(['not_received_help'])])
  expect((await lost(id)).body.disbursement.arrival).toMatchObject({ received: false, reason: 'Nothing came to her account' })
  expect(await alarms()).toEqual([{ code: 'help_not_received', day: today, waiting: 0 }])
  expect(await todo()).toContain('not_received_help')
  const { disbursements } = (await world.calls.ask('GET /admin/disbursements?status=not_received', { as: caller })).body
  expect(disbursements.map((entry: { id: string }) => entry.id)).toEqual([id])
  expect(await ownersTold()).toMatchObject({ what: 'not_received', about: 'school shoes', detail: 'Nothing came to her account' })
  expect((await publicOf(id)).received).toBeNull()
  expect(said(await say(id))).toBe('200')
  expect(await ownersTold()).toMatchObject({ what: 'received_after_all', about: 'school shoes' })
  expect([await alarms(), (await publicOf(id)).received]).toEqual([[], { on: today, how: 'call' }])
  // The payer may report it: that takes nothing from anybody.
  expect(said(await lost(id, {}, world.staff.finance))).toBe('200')
  const back = { amount: 5, purpose: 'the bank returned it', receipts: [await world.bill()] }
  expect(said(await world.calls.ask(`POST /admin/disbursements/${id}/correct`, { as: world.staff.owner, body: back }))).toBe('200')
  expect(await alarms()).toEqual([])
})

test('the request whose payment arrived has it in its history, and the receiver’s words only while its own are kept', async () => {
  const id = await pay()
  const known = { words: 'Shoes, please.', name: 'Gita', phone: '9800000001', email: '', knows: true }
  const sealed = seal(testSecrets, '7Q7Q', known)
  await world.db.query(sql`
    insert into help_case (number, kind, for_whom, district, state, language, stage, agreed_paise, beneficiary_id, outlay_id, sealed, phone_mac)
    select '7Q7Q', 'school', 'self', 'Pune', 'MH', 'en', 'helped', 500, beneficiary_id, id, ${sealed}::bytea, sha256('7') from outlay where id = ${id}::uuid`)
  await lost(id)
  await say(id)
  await world.db.query(sql`update help_case set sealed = null, phone_mac = null where number = '7Q7Q'`)
  await lost(id, { reason: 'She gave it to Ravi' })
  const { steps } = (await world.calls.ask('GET /admin/help-cases/7Q7Q', { as: caller })).body.case
  expect(steps.map(({ step, note }: { step: string; note: string | null }) => [step, note])).toEqual([
    ['not_received', 'Nothing came to her account'],
    ['received', null],
    ['not_received', null],
  ])
  const log = await world.db.query(
    sql`select after from audit_log where subject = ${`outlay:${id}`}::text and action = 'disbursement.arrive'`,
  )
  expect(log).toHaveLength(3)
  expect(JSON.stringify(log)).not.toMatch(/Nothing came|Ravi/)
})

test('a revoked consent deletes why help did not arrive, also when both are said at once, and keeps that it did not', async () => {
  const gita = await world.beneficiary()
  const [before, atOnce, after] = [await pay(gita), await pay(gita), await pay(gita)]
  await lost(before, { reason: 'Her brother kept it' })
  const revoke = () => world.calls.ask(`PUT /admin/beneficiaries/${gita}`, { as: world.staff.owner, body: { revoked: true } })
  const [revoked, both] = await Promise.all([revoke(), lost(atOnce, { reason: 'Her brother kept that too' })])
  expect([revoked.status, both.status]).toEqual([200, 200])
  expect(said(await lost(after, { reason: 'Her brother again' }))).toBe('200')
  const shown = await Promise.all(
    [before, atOnce, after].map(
      async (id) =>
        (await world.calls.ask('GET /admin/disbursements?limit=100', { as: caller })).body.disbursements.find(
          (entry: { id: string }) => entry.id === id,
        ).arrival,
    ),
  )
  expect(shown.map(({ received, reason }: { received: boolean; reason: string | null }) => [received, reason])).toEqual([
    [false, null],
    [false, null],
    [false, null],
  ])
  expect(await world.db.query(sql`select from arrival_reason where words like 'Her brother%'`)).toEqual([])
})

test('a revoked consent deletes the signed paper and the receiver’s words in the request, also when all is said at once', async () => {
  const gita = await world.beneficiary()
  const [id, atOnce, late] = [await pay(gita), await pay(gita), await pay(gita)]
  const [paper, paperAtOnce, latePaper] = [await world.bill(), await world.bill(), await world.bill()]
  const read = async (hash: string): Promise<number> => (await world.calls.ask(`GET /admin/receipts/${hash}`, { as: caller })).status
  await world.db.query(sql`
    insert into help_case (number, kind, for_whom, district, state, language, stage, agreed_paise, beneficiary_id, outlay_id, sealed, phone_mac)
    select '8R8R', 'school', 'self', 'Pune', 'MH', 'en', 'helped', 500, beneficiary_id, id, 'x', sha256('8') from outlay where id = ${id}::uuid`)
  await lost(id, { reason: 'Gita says that her brother has it' })
  await say(id, { how: 'papers', paper })
  const notes = () => world.db.query(sql`select from help_case_step where number = '8R8R' and sealed_note is not null`)
  expect([await read(paper), (await notes()).length]).toEqual([200, 1])
  const revoke = () => world.calls.ask(`PUT /admin/beneficiaries/${gita}`, { as: world.staff.owner, body: { revoked: true } })
  const answers = await Promise.all([revoke(), say(atOnce, { how: 'papers', paper: paperAtOnce })])
  expect(answers.map(said)).toEqual(['200', '200'])
  const shown = await say(late, { how: 'papers', paper: latePaper })
  expect(shown.body.disbursement.arrival).toMatchObject({ received: true, how: 'papers', paper: null })
  // An upload that nothing names goes after a day, as any other.
  for (const hash of [paperAtOnce, latePaper]) await world.jobs.forget_receipt({ hash })
  expect([await read(paper), await read(paperAtOnce), await read(latePaper), await notes()]).toEqual([404, 404, 404, []])
  // For a process that ends before it has removed the file.
  const removals = await world.db.query(sql`
    select from job where kind = 'remove_file' and key in (select file from receipt where hash = ${Buffer.from(paper, 'hex')}::bytea)`)
  expect(removals).toHaveLength(1)
  expect(await publicOf(id)).toEqual({ received: { on: today, how: 'papers' }, name: null })
})

test('after seven days it waits on the to-do list, the public share counts it, and a revoked consent keeps it without the name', async () => {
  const meera = await world.beneficiary()
  const [confirmed, open] = [await pay(meera), await pay()]
  await say(confirmed)
  const before = await readHelped(world.db)
  await world.database.setClock(new Date(NOON + 8 * 86_400_000))
  const { arrivals } = await readHelped(world.db)
  expect(before.arrivals).toEqual({ due: 0, inTime: 0 })
  expect(arrivals.due).toBeGreaterThan(arrivals.inTime)
  const unconfirmed = async (): Promise<string[]> =>
    (await world.calls.ask('GET /admin/disbursements?status=unconfirmed&limit=100', { as: caller })).body.disbursements.map(
      (entry: { id: string }) => entry.id,
    )
  expect(await unconfirmed()).toContain(open)
  expect(await unconfirmed()).not.toContain(confirmed)
  expect(await todo()).toContain('unconfirmed_help')
  await say(open, { on: DAY })
  expect(await unconfirmed()).not.toContain(open)
  // Too late for the share.
  expect((await readHelped(world.db)).arrivals).toEqual(arrivals)
  await world.calls.ask(`PUT /admin/beneficiaries/${meera}`, { as: world.staff.owner, body: { revoked: true } })
  expect(await publicOf(confirmed)).toEqual({ received: { on: today, how: 'call' }, name: null })
  expect((await readHelped(world.db)).arrivals).toEqual(arrivals)
})
