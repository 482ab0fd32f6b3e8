/** Requests for help: the public form and its stage, the desk's steps, the agreement, the payment, and what is deleted when. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { makeStaff } from '../../testing/calls.ts'
import { forgetAlone } from '../../testing/database.ts'
import { MEERA, useHelpWorld } from '../../testing/help-world.ts'
import { forgetOldCases } from './case-payment.ts'
import { readRequestFigures } from '../home/desk-figures.ts'

const world = useHelpWorld()
beforeAll(async () => {
  await world.give(20_000)
})
beforeEach(() => forgetAlone(world.database))

let phones = 0
const nextPhone = (): string => `98${String(++phones).padStart(8, '0')}`
const FORM = {
  for: 'self',
  kind: 'school',
  words: 'My daughter needs shoes for school.',
  amount: '500',
  until: '2030-01-01',
  district: 'Pune',
  state: 'MH',
  name: 'Gita Rao',
}
type Fields = Readonly<Record<string, unknown>>
const ask = (fields: Fields = {}) => world.calls.ask('POST /ask-for-help', { body: { ...FORM, phone: nextPhone(), ...fields } })
const asked = async (fields: Fields = {}): Promise<string> => {
  const { status, body, text } = await ask(fields)
  if (status !== 201) throw new Error(text)
  return body.number
}
const look = (number: string, phone: string) => world.calls.ask(`POST /ask-for-help/${number}`, { body: { phone } })
const open = async (number: string, as = world.staff.editor) => world.calls.ask(`GET /admin/help-cases/${number}`, { as })
const versionOf = async (number: string): Promise<number> =>
  (await world.db.one<{ version: number }>(sql`select version from help_case where number = ${number}::text`)).version
const step = async (number: string, name: string, fields: Fields = {}, as = world.staff.editor) =>
  world.calls.ask(`POST /admin/help-cases/${number}/steps`, {
    as,
    body: { step: name, how: 'call', note: 'A short note.', version: await versionOf(number), ...fields },
  })
const agree = async (number: string, fields: Fields = {}, as = world.staff.editor) =>
  world.calls.ask(`POST /admin/help-cases/${number}/agree`, {
    as,
    body: { amount: 500, note: 'Both have seen it.', beneficiary: MEERA, version: await versionOf(number), ...fields },
  })
const list = async (query = '') => (await world.calls.ask(`GET /admin/help-cases${query}`, { as: world.staff.auditor })).body
const pay = async (number: string, beneficiaryId: string, fields: Fields = {}, as = world.staff.finance) =>
  world.calls.ask('POST /admin/disbursements', {
    as,
    body: { amount: 500, purpose: 'school shoes', beneficiaryId, helpCase: number, receipts: [await world.bill()], ...fields },
  })
const pass = (number: string, days: number) =>
  world.db.query(sql`
    update help_case set stage_at = stage_at - ${days}::int * interval '1 day', touched_at = touched_at - ${days}::int * interval '1 day',
      asked_at = asked_at - ${days}::int * interval '1 day' where number = ${number}::text`)

describe('the public form', () => {
  test('answers a number; number and phone number show the stage, and nothing else does', async () => {
    const phone = nextPhone()
    const number = await asked({ phone })
    expect(number).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}$/)
    const stage = { number, stage: 'new', reason: null, answer: null }
    expect((await look(`%23${number.toLowerCase()}`, phone)).body).toMatchObject(stage)
    const wrong = await look(number, '9000000000')
    const unknown = await look('ZZZZZZ', phone)
    expect([wrong.status, wrong.body.code, unknown.status, unknown.body.code]).toEqual([404, 'case_not_found', 404, 'case_not_found'])
    expect(wrong.body.message).toBe(unknown.body.message)
  })

  test('stores words and contact encrypted, and writes a mail without any word of them', async () => {
    const phone = nextPhone()
    const number = await asked({ phone, email: 'gita@example.org' })
    const row = await world.db.one<{ sealed: Buffer; rest: string }>(
      sql`select sealed, (to_jsonb(c) - 'sealed' - 'phone_mac')::text as rest from help_case c where number = ${number}::text`,
    )
    for (const secret of ['Gita', 'shoes', phone]) {
      expect(row.rest).not.toContain(secret)
      expect(row.sealed.includes(secret)).toBe(false)
    }
    const mail = await world.db.one<{ payload: object }>(sql`select payload from job where key = ${`help_asked:${number}`}::text`)
    expect(mail.payload).toMatchObject({ to: 'gita@example.org', template: 'help_asked', data: { number } })
    expect(JSON.stringify(mail.payload)).not.toMatch(/Gita|shoes/)
  })

  test.each([
    [{ for: 'nobody' }, { for: 'Please say who needs the help' }],
    [{ kind: '' }, { kind: 'Please choose what the help is for' }],
    [{ words: 'shoes' }, { words: 'Please describe the need in 10 to 2,000 characters' }],
    [{ words: 'x'.repeat(2001) }, { words: 'Please describe the need in 10 to 2,000 characters' }],
    [{ amount: '-5' }, { amount: 'Please enter an amount in rupees, or leave it empty' }],
    [{ amount: '0' }, { amount: 'Please enter an amount in rupees, or leave it empty' }],
    [{ until: '2026-02-30' }, { until: 'Please enter a day, or leave it empty' }],
    [{ until: '2020-01-01' }, { until: 'Please enter a day, or leave it empty' }],
    [{ district: '<b>' }, { district: 'Please enter the district in letters, 2 to 60 characters, without a web address' }],
    [{ district: 'cheapgold.example' }, { district: 'Please enter the district in letters, 2 to 60 characters, without a web address' }],
    [{ phone: '12345' }, { phone: 'Please enter a valid 10-digit mobile number' }],
    [{ email: 'gita' }, { email: 'Please enter a valid email address' }],
  ])('a wrong field is refused beside it: %#', async (given, fields) => {
    const { status, body } = await ask(given)
    expect([status, body.fields]).toEqual([400, fields])
  })

  test('the same form from the phone within 30 days is the same request, and later or after an end it is a new one', async () => {
    const phone = nextPhone()
    const number = await asked({ phone })
    expect(await asked({ phone })).toBe(number)
    await pass(number, 31)
    const later = await asked({ phone })
    expect((await open(later)).body.case.samePhone).toEqual([number])
    expect((await step(later, 'withdrawn')).status).toBe(200)
    expect([number, later]).not.toContain(await asked({ phone }))
  })

  test.each([
    { amount: '900' },
    { amount: '' },
    { until: '2030-02-01' },
    { district: 'Satara' },
    { state: 'GA' },
    { kind: 'food' },
    { for: 'relative', knows: 'yes' },
    { name: 'Gita Rau' },
    { email: 'gita@example.com' },
  ])('a form sent again with a correction is a new request, and loses nothing: %j', async (correction) => {
    const phone = nextPhone()
    const first = { phone, email: 'gita@example.org' }
    const number = await asked(first)
    const corrected = await asked({ ...first, ...correction })
    expect(corrected).not.toBe(number)
    // The correction itself is sent once.
    expect(await asked({ ...first, ...correction })).toBe(corrected)
    expect((await open(corrected)).body.case.samePhone).toEqual([number])
  })

  test('of the same request twice at once, one is stored', async () => {
    const phone = nextPhone()
    const [one, two] = await Promise.all([asked({ phone }), asked({ phone })])
    expect(one).toBe(two)
  })

  test('ten wrong phone numbers a day for a request are answered', async () => {
    const number = await asked({ phone: '9812345678' })
    // The right one costs nothing.
    for (let n = 0; n < 12; n++) expect((await look(number, '9812345678')).status).toBe(200)
    for (let n = 0; n < 10; n++) expect((await look(number, nextPhone())).status).toBe(404)
    expect((await look(number, '9812345678')).body.code).toBe('too_many_requests')
    // The person who asked looks from elsewhere.
    const from = { ip: '203.0.113.9' }
    expect((await world.calls.ask(`POST /ask-for-help/${number}`, { body: { phone: '9812345678' }, ...from })).status).toBe(200)
  })

  test('a phone number is not tried with every number of a public list: ten a day', async () => {
    const phone = nextPhone()
    for (let n = 0; n < 10; n++) expect((await look(`ZZZ${n}`, phone)).status).toBe(404)
    expect((await look(await asked({ phone }), phone)).body.code).toBe('too_many_requests')
  })
})

describe('abuse of the form', () => {
  test('a flood from one network ends after twenty requests a day, and other networks still ask', async () => {
    const from = (ip: string) => world.calls.ask('POST /ask-for-help', { body: { ...FORM, phone: nextPhone() }, ip })
    // Twenty-five at once.
    const statuses = (await Promise.all(Array.from({ length: 25 }, () => from('203.0.113.20')))).map(({ status }) => status)
    expect([statuses.filter((status) => status === 201).length, statuses.filter((status) => status === 429).length]).toEqual([20, 5])
    expect((await from('203.0.113.20')).body.code).toBe('too_many_requests')
    expect((await from('203.0.113.21')).status).toBe(201)
  })

  test('five requests a day with a phone from an address block hinder nobody elsewhere, and twenty with it are answered', async () => {
    const body = { ...FORM, phone: nextPhone() }
    const from = async (ip: string) => (await world.calls.ask('POST /ask-for-help', { body, ip })).status
    // Seven at once.
    const statuses = await Promise.all(Array.from({ length: 7 }, (_, n) => from(`198.51.100.${n}`)))
    expect(statuses.toSorted()).toEqual([201, 201, 201, 201, 201, 429, 429])
    for (let n = 5; n < 20; n++) expect(await from(`10.7.${n % 3}.1`)).toBe(201)
    expect(await from('203.0.113.30')).toBe(429)
  })

  test('who asks with somebody else’s phone does not learn that its person has asked, nor hinders them', async () => {
    const phone = nextPhone()
    const own = await asked({ phone, email: 'gita@example.org' })
    const stranger = { phone, email: 'stranger@example.org', name: 'Somebody Else', words: 'Please send me what this phone asked for.' }
    const [known, unknown] = [await ask(stranger), await ask({ ...stranger, phone: nextPhone() })]
    expect([known.status, Object.keys(known.body)]).toEqual([unknown.status, Object.keys(unknown.body)])
    expect(known.body.number).not.toBe(own)
    // The desk sees both. The person with the phone did not ask the second time.
    expect((await open(known.body.number)).body.case.samePhone).toEqual([own])
    expect((await step(known.body.number, 'withdrawn', { note: 'The person with this phone did not ask.' })).status).toBe(200)
    expect((await look(own, phone)).body.stage).toBe('new')
  })

  test('an advertisement is read by the desk alone: no mail, list, table, log or public answer has a word of it', async () => {
    const AD = /cheapgold|Gold Bazaar|98\d{8}/i
    const number = await asked({
      words: 'Buy gold at www.cheapgold.example today, everybody gets 10 percent.',
      name: 'Gold Bazaar',
      email: 'victim@example.org',
    })
    expect((await open(number)).body.case.contact).toMatchObject({ name: 'Gold Bazaar' })
    await step(number, 'refused', { reason: 'not_our_help', note: 'An advertisement.' })
    const table = await world.calls.ask('GET /admin/help-cases.csv', { as: world.staff.auditor })
    const kept = await world.db.query(sql`
      select payload::text as text from job where payload ->> 'to' = 'victim@example.org'
      union all select coalesce(before::text, '') || coalesce(after::text, '') from audit_log where subject = ${`help_case:${number}`}::text`)
    expect(kept.length).toBeGreaterThan(1)
    for (const text of [
      JSON.stringify((await list('?limit=100')).cases),
      table.text,
      JSON.stringify(kept),
      JSON.stringify(await readRequestFigures(world.db)),
    ])
      expect(text).not.toMatch(AD)
  })
})

describe('the desk', () => {
  test('lists what names nobody: the most urgent first, then the oldest', async () => {
    const [wait, unjudged, today] = [await asked(), await asked(), await asked()]
    await step(wait, 'checked', { urgency: 'can_wait' })
    await step(today, 'checked', { urgency: 'today' })
    const { cases } = await list('?limit=100')
    const order = cases.map(({ number }: { number: string }) => number).filter((number: string) => [wait, unjudged, today].includes(number))
    expect(order).toEqual([today, unjudged, wait])
    expect(JSON.stringify(cases)).not.toMatch(/Gita|shoes|98\d{8}/)
    const seen: string[] = []
    for (let query = '?limit=2'; ; ) {
      const page = await list(query)
      seen.push(...page.cases.map(({ number }: { number: string }) => number))
      if (page.nextCursor === null) break
      query = `?limit=2&cursor=${page.nextCursor}`
    }
    expect(seen).toEqual(cases.map(({ number }: { number: string }) => number))
    expect((await list(`?q=${today}`)).cases.map(({ number }: { number: string }) => number)).toEqual([today])
    expect((await world.calls.ask('GET /admin/help-cases?cursor=x', { as: world.staff.owner })).body.fields).toHaveProperty('cursor')
  })

  test('a reader of words and contact is in the staff log, which keeps no word of them', async () => {
    const number = await asked()
    const { body } = await open(number)
    expect(body.case.contact).toMatchObject({ name: 'Gita Rao', words: FORM.words, knows: true })
    await step(number, 'refused', { reason: 'no_money', answer: 'Please ask in March, Gita.' })
    const log = await world.db.query<{ action: string; all: string }>(
      sql`select action, to_jsonb(l)::text as all from audit_log l where subject = ${`help_case:${number}`}::text order by id`,
    )
    expect(log.map(({ action }) => action)).toEqual(['help_case.read', 'help_case.step'])
    expect(log.map(({ all }) => all).join()).not.toMatch(/Gita|shoes|March|short note/)
  })

  test('a refusal has a reason that the asker reads, and ends the case', async () => {
    const phone = nextPhone()
    const number = await asked({ phone })
    expect((await step(number, 'refused')).body.fields).toEqual({ reason: 'Please choose a reason that the person reads' })
    expect((await step(number, 'refused', { reason: 'no_money', answer: 'Please ask again in March.' })).status).toBe(200)
    expect((await look(number, phone)).body).toMatchObject({
      stage: 'refused',
      reason: 'no_money',
      answer: 'Please ask again in March.',
    })
    expect((await step(number, 'called')).body.code).toBe('case_stage')
    expect((await agree(number)).body.code).toBe('case_stage')
  })

  test('nobody counts as unreachable before the third attempt', async () => {
    const number = await asked()
    for (let n = 0; n < 2; n++) expect((await step(number, 'tried')).body.case.stage).toBe('new')
    expect((await step(number, 'unreachable')).body.code).toBe('case_tries')
    await step(number, 'tried')
    expect((await step(number, 'unreachable')).body.case.stage).toBe('unreachable')
  })

  test('of two steps on one version the first takes effect', async () => {
    const number = await asked()
    const version = await versionOf(number)
    const answers = await Promise.all([step(number, 'called', { version }), step(number, 'tried', { version })])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('changed_since_seen')
    expect((await open(number)).body.case.steps).toHaveLength(1)
  })

  test('somebody of the team is assigned, and nobody else', async () => {
    const number = await asked()
    const assign = async (assignedTo: string | null) =>
      world.calls.ask(`PUT /admin/help-cases/${number}`, { as: world.staff.owner, body: { assignedTo, version: await versionOf(number) } })
    expect((await assign(String(world.staff.editor))).body.case.assignedTo).toMatchObject({ id: String(world.staff.editor) })
    for (const other of [String(world.staff.auditor), '999999', 'x']) expect((await assign(other)).body.code).toBe('staff_not_found')
    const mine = await world.calls.ask('GET /admin/help-cases?status=mine', { as: world.staff.editor })
    expect(mine.body.cases.map((one: { number: string }) => one.number)).toEqual([number])
    expect((await assign(null)).body.case.assignedTo).toBeNull()
    expect((await open('ZZZZZZ')).body.code).toBe('case_not_found')
  })

  test('a case that nobody touched for three days is listed as such, until somebody does something', async () => {
    const number = await asked()
    await pass(number, 4)
    const untouched = async () => (await list('?status=untouched')).cases.map((one: { number: string }) => one.number)
    expect(await untouched()).toContain(number)
    await step(number, 'tried')
    expect(await untouched()).not.toContain(number)
  })
})

describe('a volunteer', () => {
  const volunteer = (): bigint => world.staff.volunteer
  const assign = async (number: string, to: bigint | null): Promise<void> => {
    const body = { assignedTo: to === null ? null : String(to), version: await versionOf(number) }
    const { status, text } = await world.calls.ask(`PUT /admin/help-cases/${number}`, { as: world.staff.owner, body })
    if (status !== 200) throw new Error(text)
  }

  test('sees and changes only the requests that are assigned to them, and no others of that phone', async () => {
    const phone = nextPhone()
    const ended = await asked({ phone })
    await step(ended, 'withdrawn')
    const [mine, other] = [await asked({ phone }), await asked()]
    await assign(mine, volunteer())
    const listed = async (query = '') => (await world.calls.ask(`GET /admin/help-cases${query}`, { as: volunteer() })).body
    for (const query of ['', '?status=open', `?q=${other}`, '?status=untouched'])
      expect(
        (await listed(query)).cases.map(({ number }: { number: string }) => number).filter((number: string) => number !== mine),
      ).toEqual([])
    expect((await listed()).cases).toHaveLength(1)
    expect((await listed()).team).toEqual([])
    expect((await open(mine, volunteer())).body.case).toMatchObject({ contact: { phone }, samePhone: [] })
    expect((await open(mine)).body.case.samePhone).toEqual([ended])
    for (const answer of [await open(other, volunteer()), await step(other, 'called', {}, volunteer())])
      expect([answer.status, answer.body.code]).toEqual([404, 'case_not_found'])
    expect((await step(mine, 'called', {}, volunteer())).body.case.stage).toBe('called')
    await assign(mine, null)
    expect((await open(mine, volunteer())).body.code).toBe('case_not_found')
  })

  test('ends no request, and counts as one of two who checked', async () => {
    const number = await asked()
    await assign(number, volunteer())
    for (const end of ['refused', 'withdrawn', 'unreachable'])
      expect((await step(number, end, { reason: 'no_money' }, volunteer())).body.code).toBe('forbidden')
    await step(number, 'checked', {}, volunteer())
    expect((await agree(number, { amount: 1500 })).body.code).toBe('case_checks')
    await step(number, 'checked')
    expect((await agree(number, { amount: 1500 })).status).toBe(200)
  })
})

test('support calls about any request and records it, but neither ends nor assigns one, nor agrees', async () => {
  const number = await asked()
  const { support } = world.staff
  expect((await open(number, support)).body.case.contact.name).toBe('Gita Rao')
  expect((await step(number, 'called', {}, support)).body.case.stage).toBe('called')
  expect((await step(number, 'refused', { reason: 'no_money' }, support)).body.code).toBe('forbidden')
  await step(number, 'checked', {}, support)
  const assigned = await world.calls.ask(`PUT /admin/help-cases/${number}`, { as: support, body: { urgency: 'today', version: 3 } })
  expect([(await agree(number, {}, support)).status, assigned.status]).toEqual([403, 403])
})

describe('an agreement', () => {
  const checked = async (by: readonly bigint[] = [world.staff.editor]): Promise<string> => {
    const number = await asked()
    for (const as of by) await step(number, 'checked', { how: 'visit' }, as)
    return number
  }

  test('needs a check and a recorded consent, and makes the beneficiary', async () => {
    const number = await asked()
    expect((await agree(number)).body.code).toBe('case_stage')
    await step(number, 'checked')
    expect((await agree(number, { beneficiary: { ...MEERA, consent: null } })).body.code).toBe('consent_missing')
    expect((await agree(number, { amount: 0 })).body.fields).toEqual({ amount: 'Please enter the amount that is agreed' })
    expect((await agree(number, { beneficiary: { ...MEERA, publicName: 'Meera Sharma' } })).body.fields).toHaveProperty(
      'beneficiary.publicName',
    )
    const { body } = await agree(number)
    expect(body.case).toMatchObject({ stage: 'agreed', agreed: 500 })
    const who = sql`select public_name as name from beneficiary where id = ${body.case.beneficiaryId}::uuid`
    expect(await world.db.one(who)).toEqual({ name: 'Meera' })
  })

  test('above the limit needs checks of two different people', async () => {
    const number = await checked([world.staff.editor, world.staff.editor])
    expect((await agree(number, { amount: 1000 })).status).toBe(200)
    const large = await checked([world.staff.editor, world.staff.editor])
    expect((await agree(large, { amount: 1000.01 })).body.code).toBe('case_checks')
    await step(large, 'checked', {}, world.staff.owner)
    expect((await agree(large, { amount: 1000.01 })).status).toBe(200)
  })

  test('about less than the limit does not let one check serve for a payment above it', async () => {
    const number = await checked()
    const { beneficiaryId } = (await agree(number)).body.case
    for (const as of [world.staff.editor, world.staff.finance])
      expect((await pay(number, beneficiaryId, { amount: 1000.01 }, as)).body.code).toBe('case_checks')
    expect((await open(number)).body.case.stage).toBe('agreed')
    expect((await pay(number, beneficiaryId, { amount: 520 })).body.disbursement.status).toBe('booked')
  })

  test('starts a payment, and the booking makes it helped; whoever agreed does not book it', async () => {
    const number = await checked()
    const { beneficiaryId } = (await agree(number)).body.case
    expect((await pay('ZZZZZZ', beneficiaryId)).body.code).toBe('case_not_found')
    expect((await pay(number, await world.beneficiary())).body.code).toBe('case_not_agreed')
    const booked = await pay(number, beneficiaryId)
    expect(booked.body.disbursement).toMatchObject({ status: 'booked' })
    const { body } = await open(number)
    expect(body.case.stage).toBe('helped')
    expect(body.case.steps.map(({ step: name }: { step: string }) => name)).toEqual(['checked', 'agreed', 'helped'])
    expect((await pay(number, beneficiaryId)).body.code).toBe('case_not_agreed')

    const other = await checked([world.staff.owner])
    const agreed = await agree(other, {}, world.staff.owner)
    expect((await pay(other, agreed.body.case.beneficiaryId, {}, world.staff.owner)).body.disbursement.status).toBe('requested')
  })

  test('a payment that waits for a second person makes it wait; a rejected one can be asked again; an approved one helps', async () => {
    const number = await checked()
    const { beneficiaryId } = (await agree(number)).body.case
    const first = (await pay(number, beneficiaryId, {}, world.staff.editor)).body.disbursement
    expect((await open(number)).body.case.stage).toBe('waiting')
    expect((await pay(number, beneficiaryId)).body.code).toBe('case_not_agreed')
    const decide = (disbursement: { id: string; seen: string }, verb: string, more: Fields = {}) =>
      world.calls.ask(`POST /admin/disbursements/${disbursement.id}/${verb}`, {
        as: world.staff.finance,
        body: { status: 'requested', seen: disbursement.seen, ...more },
      })
    expect((await decide(first, 'reject', { reason: 'The bill is not readable' })).status).toBe(200)
    const second = (await pay(number, beneficiaryId, {}, world.staff.editor)).body.disbursement
    expect((await decide(second, 'approve')).status).toBe(200)
    expect((await open(number)).body.case.stage).toBe('helped')
    expect((await step(number, 'followed_up')).body.case.stage).toBe('followed_up')
  })

  test('of two payments at once for one case, one is written', async () => {
    const number = await checked()
    const { beneficiaryId } = (await agree(number)).body.case
    const second = await makeStaff(world.db, 'finance')
    const answers = await Promise.all([pay(number, beneficiaryId), pay(number, beneficiaryId, {}, second)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  test('the public counts have it, with the days from asking to help', async () => {
    const before = await readRequestFigures(world.db)
    const number = await checked()
    await pass(number, 5)
    const { beneficiaryId } = (await agree(number)).body.case
    await pay(number, beneficiaryId)
    const after = await readRequestFigures(world.db)
    expect(after).toMatchObject({ asked: before.asked + 1, helped: before.helped + 1, open: before.open, refused: before.refused })
    await world.db.query(
      sql`update help_case set asked_at = asked_at - interval '5 days' where stage in ('helped', 'followed_up') and number <> ${number}::text`,
    )
    expect((await readRequestFigures(world.db)).medianDays).toBe(5)
  })
})

describe('what is kept', () => {
  const isKept = async (number: string): Promise<boolean> =>
    (await world.db.maybeOne(sql`select from help_case where number = ${number}::text and sealed is not null`)) !== undefined
  const forget = async (): Promise<void> => {
    while (await forgetOldCases(world.db));
  }

  test('words, contact and notes of an ended case are deleted after 90 days, and kind, place, stage and days stay', async () => {
    const phone = nextPhone()
    const number = await asked({ phone })
    await step(number, 'refused', { reason: 'no_money' })
    await pass(number, 89)
    await forget()
    expect(await isKept(number)).toBe(true)
    await pass(number, 2)
    await forget()
    expect((await open(number)).body.case).toMatchObject({
      contact: null,
      stage: 'refused',
      kind: 'school',
      district: 'Pune',
      steps: [{ step: 'refused', note: null }],
    })
    expect((await look(number, phone)).status).toBe(404)
  })

  test('those of a person who was helped are deleted 180 days after the last follow-up, and an open case keeps them', async () => {
    const number = await asked()
    const waiting = await asked()
    await step(number, 'checked')
    const { beneficiaryId } = (await agree(number)).body.case
    await pay(number, beneficiaryId)
    await pass(number, 179)
    await step(number, 'followed_up')
    await pass(number, 179)
    await pass(waiting, 400)
    await forget()
    expect([await isKept(number), await isKept(waiting)]).toEqual([true, true])
    await pass(number, 2)
    await forget()
    expect([await isKept(number), await isKept(waiting)]).toEqual([false, true])
    await step(number, 'followed_up')
    expect((await open(number)).body.case.steps.at(-1)).toMatchObject({ step: 'followed_up', note: null })
  })

  test('a note can only be emptied, and a step neither changes nor goes', async () => {
    const number = await asked()
    await step(number, 'called')
    await expect(world.db.query(sql`update help_case_step set step = 'checked' where number = ${number}::text`)).rejects.toThrow(
      'no way to go',
    )
    await expect(world.db.query(sql`delete from help_case_step where number = ${number}::text`)).rejects.toThrow()
  })
})

describe('the withdrawal by the person who asked', () => {
  const withdraw = (number: string, phone: string) => world.calls.ask(`POST /ask-for-help/${number}/withdraw`, { body: { phone } })
  const rowOf = (number: string) =>
    world.db.one(sql`select stage, sealed is null and phone_mac is null as "isForgotten", kind, district, state,
                 (select count(*)::int from help_case_step s where s.number = c.number and sealed_note is not null) as notes
            from help_case c where number = ${number}::text`)

  test('deletes words, contact and notes at once, and needs the whole phone number', async () => {
    const phone = nextPhone()
    const number = await asked({ phone })
    await step(number, 'called')
    for (const wrong of [`9${phone.slice(1).replace(/^./, '0')}`, phone.slice(-4)])
      expect((await withdraw(number, wrong)).status).toBeOneOf([400, 404])
    expect((await withdraw(number, phone)).body).toEqual({ number })
    expect(await rowOf(number)).toEqual({ stage: 'withdrawn', isForgotten: true, kind: 'school', district: 'Pune', state: 'MH', notes: 0 })
    expect((await look(number, phone)).body.code).toBe('case_not_found')
    const { contact, steps } = (await open(number)).body.case
    expect([contact, steps.map(({ step: name, by }: { step: string; by: string | null }) => [name, by])]).toEqual([
      null,
      [
        ['called', expect.any(String)],
        ['withdrawn', null],
      ],
    ])
    // The same phone may ask again.
    expect((await ask({ phone })).status).toBe(201)
  })

  const mails = () =>
    world.db.query<object>(sql`
      select payload ->> 'to' as to, payload ->> 'language' as language, payload -> 'data' ->> 'number' as number from job
       where payload ->> 'template' = 'help_withdrawn' order by id`)
  const ownersTold = async (number: string) =>
    (
      await world.db.query<{ actor: string }>(sql`
        select payload -> 'data' ->> 'actor' as actor from job j join member m on m.email = j.payload ->> 'to'
         where j.payload -> 'data' ->> 'what' = 'request_withdrawn' and j.payload -> 'data' ->> 'about' = ${`#${number}`}::text
           and m.id = ${world.staff.owner}::bigint`)
    ).map(({ actor }) => actor)

  test('is mailed to the address of the request, and to the owners once the team had begun', async () => {
    const phone = nextPhone()
    const untouched = await asked({ phone })
    await withdraw(untouched, phone)
    expect([await mails(), await ownersTold(untouched)]).toEqual([[], []])
    const begun = await asked({ phone, email: 'asked@example.org' })
    await step(begun, 'called')
    await withdraw(begun, phone)
    expect([await mails(), await ownersTold(begun)]).toEqual([[{ to: 'asked@example.org', language: 'en', number: begun }], ['']])
    const given = await asked({ phone })
    await world.db.query(sql`update help_case set assigned_to = ${world.staff.editor}::bigint where number = ${given}::text`)
    await withdraw(given, phone)
    expect(await ownersTold(given)).toEqual([''])
  })

  test('is refused once the help is agreed, when the number may be public, and after an end', async () => {
    const phone = nextPhone()
    const settled = await asked({ phone })
    await step(settled, 'checked')
    expect((await agree(settled)).status).toBe(200)
    expect((await withdraw(settled, phone)).body.code).toBe('case_too_late')
    expect((await look(settled, phone)).body.stage).toBe('agreed')
    const other = nextPhone()
    const number = await asked({ phone: other })
    await step(number, 'refused', { reason: 'no_money' })
    expect((await withdraw(number, other)).body.code).toBe('case_too_late')
    expect(await rowOf(number)).toMatchObject({ stage: 'refused', isForgotten: false })
  })

  test('takes effect once, and of a withdrawal and an agreement at once the later one sees the other', async () => {
    const phone = nextPhone()
    const number = await asked({ phone })
    const twice = await Promise.all([withdraw(number, phone), withdraw(number, phone)])
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 404])
    const other = await asked({ phone })
    await step(other, 'checked')
    const [own, agreement] = await Promise.all([withdraw(other, phone), agree(other)])
    expect([own.status, agreement.status].toSorted()).toEqual([200, 409])
    if (own.status === 200) expect(await rowOf(other)).toMatchObject({ stage: 'withdrawn', isForgotten: true, notes: 0 })
    else expect([own.body.code, await rowOf(other)]).toMatchObject(['case_too_late', { stage: 'agreed', isForgotten: false }])
  })

  test('has the limit of the stage: ten wrong phone numbers a day for a number', async () => {
    const number = await asked()
    for (let n = 0; n < 10; n++) expect((await withdraw(number, nextPhone())).body.code).toBe('case_not_found')
    expect((await withdraw(number, nextPhone())).body.code).toBe('too_many_requests')
  })
})
