/** A request whose payment was rejected, or came back whole: it is paid again, or ends like one that is only agreed. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { DAY } from '../../ledger/testing/fixtures.ts'
import { forgetAlone } from '../../testing/database.ts'
import { MEERA, useHelpWorld } from '../../testing/help-world.ts'
import { readRequestFigures } from '../home/desk-figures.ts'

const world = useHelpWorld()
beforeAll(async () => {
  await world.give(1000)
})
beforeEach(() => forgetAlone(world.database))

let phones = 0
type Fields = Readonly<Record<string, unknown>>
const change = async (number: string, verb: string, body: Fields, as = world.staff.editor) => {
  const { version } = await world.db.one<{ version: number }>(sql`select version from help_case where number = ${number}::text`)
  return world.calls.ask(`POST /admin/help-cases/${number}/${verb}`, { as, body: { ...body, version } })
}
const step = (number: string, name: string) => change(number, 'steps', { step: name, how: 'call', note: 'A short note.' })
/** A request whose payment waits for a second person. */
async function waiting() {
  const phone = `97${String(++phones).padStart(8, '0')}`
  const form = { for: 'self', kind: 'school', words: 'My daughter needs shoes for school.', amount: '5', until: '', district: 'Pune' }
  const asked = await world.calls.ask('POST /ask-for-help', { body: { ...form, state: 'MH', name: 'Gita Rao', phone } })
  const { number } = asked.body as { number: string }
  await step(number, 'checked')
  const agreed = await change(number, 'agree', { amount: 5, note: 'Both have seen it.', beneficiary: MEERA })
  const pay = async (as = world.staff.editor) => {
    const { beneficiaryId } = agreed.body.case
    const body = { amount: 5, purpose: 'school shoes', beneficiaryId, helpCase: number, receipts: [await world.bill()] }
    return world.calls.ask('POST /admin/disbursements', { as, body })
  }
  const { id, seen, status } = (await pay()).body.disbursement
  expect(status).toBe('requested')
  const decide = (verb: string, more: Fields = {}) =>
    world.calls.ask(`POST /admin/disbursements/${id}/${verb}`, { as: world.staff.finance, body: { status: 'requested', seen, ...more } })
  const reject = () => decide('reject', { reason: 'The bill is not readable' })
  const approve = () => decide('approve')
  const comeBack = async (amount: number) =>
    world.calls.ask(`POST /admin/disbursements/${id}/correct`, {
      as: world.staff.owner,
      body: { amount, purpose: 'money returned by the bank', receipts: [await world.bill()] },
    })
  /** At the payment, and at the request. */
  const arrive = (received: boolean) => {
    const told = { received, how: 'call', on: DAY, ...(received ? {} : { reason: 'Nothing came' }) }
    const body = { status: 'booked', ...told }
    return Promise.all([
      world.calls.ask(`POST /admin/disbursements/${id}/arrival`, { as: world.staff.owner, body }),
      change(number, 'arrival', told, world.staff.owner),
    ])
  }
  return { number, phone, pay, reject, approve, comeBack, arrive }
}
const open = async (number: string) => (await world.calls.ask(`GET /admin/help-cases/${number}`, { as: world.staff.editor })).body.case
const stageOf = async (number: string) => (await open(number)).stage

test('it can be withdrawn then, and not while its payment waits', async () => {
  const { number, phone, reject } = await waiting()
  for (const name of ['tried', 'withdrawn', 'unreachable']) expect((await step(number, name)).body.code).toBe('case_stage')
  expect(await open(number)).toMatchObject({ stage: 'waiting', isPayable: false })
  expect((await reject()).status).toBe(200)
  expect(await open(number)).toMatchObject({ stage: 'waiting', isPayable: true })
  // Its number may be public: the person tells the team.
  expect((await world.calls.ask(`POST /ask-for-help/${number}/withdraw`, { body: { phone } })).body.code).toBe('case_too_late')
  expect((await step(number, 'refused')).body.code).toBe('case_stage')
  expect((await step(number, 'withdrawn')).body.case).toMatchObject({ stage: 'withdrawn' })
})

test('a person whom nobody reaches any more ends it too', async () => {
  const { number, reject } = await waiting()
  expect((await reject()).status).toBe(200)
  expect((await step(number, 'unreachable')).body.code).toBe('case_tries')
  for (let tries = 0; tries < 3; tries++) expect((await step(number, 'tried')).body.case.stage).toBe('waiting')
  expect((await step(number, 'unreachable')).body.case.stage).toBe('unreachable')
})

test('its money that came back whole is no help: it waits for the money again, and is paid again', async () => {
  const before = await readRequestFigures(world.db)
  const { number, phone, pay, approve, comeBack } = await waiting()
  expect((await approve()).status).toBe(200)
  expect(await readRequestFigures(world.db)).toMatchObject({ helped: before.helped + 1, open: before.open })
  expect((await comeBack(2)).body.disbursement.status).toBe('booked')
  expect([await stageOf(number), (await pay(world.staff.finance)).body.code]).toEqual(['helped', 'case_not_agreed'])
  expect((await comeBack(3)).body.disbursement.status).toBe('booked')
  expect((await world.calls.ask(`POST /ask-for-help/${number}`, { body: { phone } })).body.stage).toBe('waiting')
  expect(await readRequestFigures(world.db)).toMatchObject({ helped: before.helped, open: before.open + 1, medianDays: before.medianDays })
  expect((await pay(world.staff.finance)).body.disbursement.status).toBe('booked')
  expect(await stageOf(number)).toBe('helped')
  expect(await readRequestFigures(world.db)).toMatchObject({ helped: before.helped + 1, open: before.open })
})

test('its money that came back whole leaves it free to end', async () => {
  const { number, approve, comeBack, arrive } = await waiting()
  await approve()
  expect((await open(number)).help).toMatchObject({ received: null })
  await comeBack(5)
  // Nothing arrives any more.
  expect((await open(number)).help).toBeNull()
  for (const received of [true, false])
    expect((await arrive(received)).map(({ status, body }) => `${status} ${body.code}`)).toEqual(['409 outlay_final', '409 case_stage'])
  expect((await step(number, 'withdrawn')).body.case).toMatchObject({ stage: 'withdrawn' })
})
