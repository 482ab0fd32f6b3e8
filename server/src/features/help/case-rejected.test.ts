/** A request whose payment was rejected: it is paid again, or ends like one that is only agreed. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { one, sql } from '../../db/sql.ts'
import { forgetAlone } from '../../testing/database.ts'
import { MEERA, useHelpWorld } from '../../testing/help-world.ts'

const world = useHelpWorld()
beforeAll(async () => {
  await world.give(1000)
})
beforeEach(() => forgetAlone(world.database))

let phones = 0
type Fields = Readonly<Record<string, unknown>>
const change = async (number: string, verb: string, body: Fields) => {
  const { version } = await one<{ version: number }>(world.db, sql`select version from help_case where number = ${number}::text`)
  return world.calls.ask(`POST /admin/help-cases/${number}/${verb}`, { as: world.staff.editor, body: { ...body, version } })
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
  const payment = await world.calls.ask('POST /admin/disbursements', {
    as: world.staff.editor,
    body: {
      amount: 5,
      purpose: 'school shoes',
      beneficiaryId: agreed.body.case.beneficiaryId,
      helpCase: number,
      receipts: [await world.bill()],
    },
  })
  const { id, seen, status } = payment.body.disbursement
  expect(status).toBe('requested')
  const reject = () =>
    world.calls.ask(`POST /admin/disbursements/${id}/reject`, {
      as: world.staff.finance,
      body: { status: 'requested', seen, reason: 'The bill is not readable' },
    })
  return { number, phone, reject }
}

test('it can be withdrawn then, and not while its payment waits', async () => {
  const { number, phone, reject } = await waiting()
  for (const name of ['tried', 'withdrawn', 'unreachable']) expect((await step(number, name)).body.code).toBe('case_stage')
  expect((await reject()).status).toBe(200)
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
