/** A volunteer records the outcome of a request: only of their own requests, and never on both sides. */
import { startOfDayMs } from '@roz/core/ist-day.ts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { DAY } from '../../ledger/testing/fixtures.ts'
import { makeStaff, testSecrets } from '../../testing/calls.ts'
import { forgetAlone } from '../../testing/database.ts'
import { useHelpWorld, pictureForm } from '../../testing/help-world.ts'
import { seal } from './cases.ts'

/** The action of each call in the staff log. e2e/scenario/audit-watch.ts relies on these names. */
const LOGGED = {
  arriveHelpCase: 'disbursement.arrive',
  uploadCaseFollowUpPicture: 'follow_up.picture',
  followUpHelpCase: 'follow_up.record',
} as const
const NOON = startOfDayMs(DAY) + 12 * 3_600_000
const world = useHelpWorld()
let volunteer: bigint
beforeAll(async () => {
  await world.give(1000)
  volunteer = world.staff.volunteer
})
beforeEach(async () => {
  await forgetAlone(world.database)
  await world.database.setClock(new Date(NOON))
})

const later = (days: number): Promise<unknown> => world.database.setClock(new Date(NOON + days * 86_400_000))
type Paid = { readonly number: string; readonly outlayId: string }
let made = 0
/** A request with ₹5 agreed that finance paid, to a person whose record an editor wrote. */
async function paid(assignedTo: bigint | null = volunteer, by = world.staff.finance, amount = 5): Promise<Paid> {
  const beneficiaryId = await world.beneficiary({ followUps: { on: '2026-11-20' } })
  const asked = { amount, purpose: 'school shoes', beneficiaryId, receipts: [await world.bill()] }
  const { body, text } = await world.calls.ask('POST /admin/disbursements', { as: by, body: asked })
  if (body.disbursement?.status !== 'booked') throw new Error(text)
  const { id: outlayId } = body.disbursement
  const number = `7Q${String(++made).padStart(2, '0')}`
  const sealed = seal(testSecrets, number, { words: 'Shoes, please.', name: 'Gita', phone: '9800000001', email: '', knows: true })
  await world.db.query(sql`
    insert into help_case (number, kind, for_whom, district, state, language, stage, agreed_paise, beneficiary_id, outlay_id, sealed, phone_mac, assigned_to)
    values (${number}::text, 'school', 'self', 'Pune', 'MH', 'en', 'helped', 500, ${beneficiaryId}::uuid, ${outlayId}::uuid, ${sealed}::bytea,
      sha256(${number}::text::bytea), ${assignedTo}::bigint)`)
  return { number, outlayId }
}
const versionOf = async (number: string): Promise<number> =>
  (await world.db.one<{ version: number }>(sql`select version from help_case where number = ${number}::text`)).version
type Fields = Readonly<Record<string, unknown>>
const arrive = async ({ number }: Paid, fields: Fields = {}, as = volunteer) =>
  world.calls.ask(`POST /admin/help-cases/${number}/arrival`, {
    as,
    body: { received: true, how: 'call', on: DAY, version: await versionOf(number), ...fields },
  })
const tell = async ({ number }: Paid, fields: Fields = {}, as = volunteer) =>
  world.calls.ask(`POST /admin/help-cases/${number}/follow-ups`, {
    as,
    body: { language: 'hi', words: 'वह अब रोज़ स्कूल जाती है।', version: await versionOf(number), ...fields },
  })
const show = async ({ number }: { readonly number: string }, as = volunteer) =>
  world.calls.ask(`POST /admin/help-cases/${number}/picture`, { as, form: await pictureForm(21) })
const helpOf = async ({ number }: Paid, as = volunteer) => (await world.calls.ask(`GET /admin/help-cases/${number}`, { as })).body.case.help
const said = ({ status, body }: { status: number; body: { code?: string } }) => `${status} ${body.code ?? ''}`.trim()
const check = ({ number }: Paid) =>
  world.db.query(
    sql`insert into help_case_step (id, number, step, done_by) values (gen_random_uuid(), ${number}::text, 'checked', ${volunteer}::bigint)`,
  )

test('a volunteer confirms that the help of their request arrived, and records what the person says weeks later', async () => {
  const one = await paid()
  expect(await helpOf(one)).toEqual({ paid: 5, received: null, followUpDue: null, mayRecord: true })
  expect(await helpOf(await paid(volunteer, world.staff.finance, 3.5))).toMatchObject({ paid: 3.5 })
  expect(said(await tell(one))).toBe('409 follow_up_not_due')
  const arrived = await arrive(one)
  expect(arrived.body.case).toMatchObject({ help: { received: true }, steps: [{ step: 'received', how: 'call' }] })
  expect(said(await arrive(one))).toBe('409 arrival_recorded')
  expect(said(await show(one))).toBe('409 follow_up_not_due')
  await later(15)
  expect(await helpOf(one)).toMatchObject({ followUpDue: 2 })
  const { hash } = (await show(one)).body
  expect((await tell(one, { picture: { hash, agreed: true } })).body.case).toMatchObject({
    stage: 'followed_up',
    help: { followUpDue: null },
  })
  const shown = (await world.calls.ask('GET /admin/disbursements?limit=100', { as: world.staff.editor })).body.disbursements
  expect(shown.find(({ id }: { id: string }) => id === one.outlayId)).toMatchObject({
    arrival: { received: true, how: 'call', on: DAY },
    followUps: [{ weeks: 2, language: 'hi', hasPicture: true }],
  })
  const log = await world.db.query<{ action: string }>(
    sql`select action from audit_log where subject = ${`outlay:${one.outlayId}`}::text and actor_id = ${volunteer}::bigint order by id`,
  )
  expect(log.map(({ action }) => action)).toEqual(Object.values(LOGGED))
})

test('somebody else’s request answers as one that does not exist; one without a booked payment is at another stage', async () => {
  const [theirs, nobodys] = [await paid(await makeStaff(world.db, 'volunteer')), await paid(null)]
  for (const other of [theirs, nobodys, { number: 'ZZZZ', outlayId: '' }]) {
    const fields = { version: 1, code: '1234', how: 'code' }
    const answers = [await arriveAt(other, fields), await tellAt(other), await show(other)]
    expect(answers.map(said)).toEqual(['404 case_not_found', '404 case_not_found', '404 case_not_found'])
  }
  const mine = await paid()
  await world.db.query(sql`update help_case set outlay_id = null, stage = 'agreed' where number = ${mine.number}::text`)
  expect(await helpOf(mine)).toBeNull()
  expect([said(await arrive(mine)), said(await tell(mine)), said(await show(mine))]).toEqual(Array(3).fill('409 case_stage'))
  expect(said(await arrive(mine, { version: 99 }))).toBe('409 changed_since_seen')
})
const arriveAt = ({ number }: Paid, fields: Fields) =>
  world.calls.ask(`POST /admin/help-cases/${number}/arrival`, { as: volunteer, body: { received: true, how: 'call', on: DAY, ...fields } })
const tellAt = ({ number }: Paid) =>
  world.calls.ask(`POST /admin/help-cases/${number}/follow-ups`, {
    as: volunteer,
    body: { language: 'en', words: 'All is well.', version: 1 },
  })

test('who checked the request confirms nothing of it, and may say that nothing arrived', async () => {
  const one = await paid()
  await check(one)
  expect(await helpOf(one)).toMatchObject({ mayRecord: false })
  const refused = await arrive(one)
  expect([said(refused), refused.body.message]).toEqual([
    '403 own_check',
    'You checked this request. Somebody else must record what came of it.',
  ])
  expect(said(await arrive(one, { received: false, reason: 'The shop was closed' }))).toBe('200')
  expect(said(await arrive(one, {}, await makeStaff(world.db, 'editor')))).toBe('200')
  await later(15)
  expect([said(await tell(one)), said(await show(one))]).toEqual(['403 own_check', '403 own_check'])
})

test('who paid or approved before becoming a volunteer confirms nothing either', async () => {
  const payer = await makeStaff(world.db, 'finance')
  const one = await paid(payer, payer)
  await world.db.query(sql`update member set staff_role = 'volunteer' where id = ${payer}::bigint`)
  expect(await helpOf(one, payer)).toMatchObject({ mayRecord: false })
  expect(said(await arrive(one, {}, payer))).toBe('403 own_arrival')
  expect(said(await arrive(one, {}, world.staff.owner))).toBe('200')
  await later(15)
  expect([said(await tell(one, {}, payer)), said(await show(one, payer))]).toEqual(['403 own_arrival', '403 own_arrival'])
})

test('the code that the receiver tells is asked for, and five wrong ones a day are the limit', async () => {
  const one = await paid()
  const { code } = (await world.calls.ask(`POST /admin/disbursements/${one.outlayId}/arrival-code`, { as: world.staff.finance, body: {} }))
    .body
  const wrong = String((Number(code) + 1) % 10_000).padStart(4, '0')
  expect((await arrive(one, { how: 'code' })).body.fields).toHaveProperty('code')
  for (let tries = 0; tries < 4; tries++)
    expect((await arrive(one, { how: 'code', code: wrong })).body.fields).toEqual({
      code: 'This is not the code of this payment. Please ask the receiver again',
    })
  expect(said(await arrive(one, { how: 'code', code: wrong }))).toBe('429 too_many_requests')
  expect(said(await arrive(one, { how: 'visit' }))).toBe('200')
})

test('of two records at once one is made: at the request twice, and at the request and its payment', async () => {
  const [twice, both] = [await paid(), await paid()]
  // Each reads the version first: the later one may have read it before or after the record.
  const second = expect.stringMatching(/^409 (?:changed_since_seen|arrival_recorded|follow_up_not_due)$/)
  expect((await Promise.all([arrive(twice), arrive(twice)])).map(said).toSorted()).toEqual(['200', second])
  const atPayment = world.calls.ask(`POST /admin/disbursements/${both.outlayId}/arrival`, {
    as: world.staff.owner,
    body: { status: 'booked', received: true, how: 'call', on: DAY },
  })
  const [there, here] = (await Promise.all([atPayment, arrive(both)])).map(said)
  expect([there, here].toSorted()).toEqual(['200', second])
  await later(15)
  expect((await Promise.all([tell(twice), tell(twice)])).map(said).toSorted()).toEqual(['200', second])
})
