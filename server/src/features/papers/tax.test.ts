/** Tax withheld from rewards: the PAN is asked only when it is needed, is encrypted, and leaves only in the accountant's table. */
import { paise } from '@roz/core/money.ts'
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { makeStaff, useCalls, testSecrets, publicIdOf } from '../../testing/calls.ts'
import { useRoundsWorld } from '../../testing/rounds-world.ts'
import { createPapers } from './papers.ts'

let asha: bigint
let ravi: bigint
let finance: bigint
const noon = (day: string): string => `${day}T12:00:00+05:30`
const world = useRoundsWorld({ startsAt: noon('2026-06-30'), tax: { percent: 30, above: paise(0n) } })
const papers = useCalls(world, (db) => createPapers({ db, secrets: testSecrets }).handlers)
const PAN = 'ABCPE1234F'
const LOGGED = { setCertificate: 'tax.certificate' } as const

/** Asha alone wins 30 paise, 9 of them tax, in the round of 30 June; it is paid on 1 July. */
beforeAll(async () => {
  asha = await world.member(20, { name: 'Asha Verma' })
  ravi = await world.member(10, { name: 'Ravi Kumar' })
  finance = await makeStaff(world.db, 'finance')
  expect((await world.join(asha)).status).toBe(200)
  await world.goTo('2026-07-01T00:00:01+05:30')
})

const setPan = (as: bigint, pan: string) => papers.ask('PUT /user/pan', { as, body: { pan } })
const list = async (quarter: string, as = finance) => papers.ask(`GET /admin/tax?quarter=${quarter}`, { as })
const tableOf = async (quarter: string) => (await papers.ask(`GET /admin/tax.csv?quarter=${quarter}`, { as: finance })).text

test('a member without withheld tax is asked for no PAN', async () => {
  const { status, body } = await setPan(ravi, PAN)
  expect([status, body.code]).toEqual([409, 'pan_not_needed'])
  const { tax } = (await papers.ask('GET /user/years/2026-27', { as: ravi })).body
  expect(tax).toEqual({ isWithheld: false, pan: null, certificates: [] })
})

test.each([
  ['abcpe 1234 f', '234F'],
  ['ABCPE-1234-F', '234F'],
  ['ＡＢＣＰＥ1234Ｆ', undefined],
  ['ABCPE१२३४F', '234F'],
  ['ABCDE1234F', undefined],
  ['ABCPE12345', undefined],
  ['ABCPE1234FF', undefined],
  ['', undefined],
])('the PAN %j is read as one, or refused', async (typed, shown) => {
  const { status, body } = await setPan(asha, typed)
  if (shown === undefined) expect([status, Object.keys(body.fields)]).toEqual([400, ['pan']])
  else expect([status, body.tax.pan]).toEqual([200, shown])
})

test('a PAN is encrypted, and no answer to the member has more than its end', async () => {
  const { body, text } = await setPan(asha, PAN)
  expect(body.tax).toEqual({ isWithheld: true, pan: '234F', certificates: [] })
  expect(text).not.toContain(PAN)
  const { sealed } = await world.db.one<{ sealed: Buffer }>(sql`select sealed from member_pan where member_id = ${asha}::bigint`)
  expect(sealed.includes(PAN)).toBe(false)
})

test('a quarter lists the rewards that were paid in it, with their sum', async () => {
  const second = (await list('2026-27-Q2')).body
  const row = {
    id: await publicIdOf(world.db, asha),
    name: 'Asha Verma',
    rewards: 1,
    prize: 0.3,
    tax: 0.09,
    pan: '234F',
    certificate: null,
  }
  expect(second).toMatchObject({ quarter: '2026-27-Q2', sum: { prize: 0.3, tax: 0.09 }, members: [row], nextCursor: null })
  expect(second.quarters.slice(0, 2)).toEqual(['2026-27-Q2', '2026-27-Q1'])
  expect((await list('2026-27-Q1')).body).toMatchObject({ sum: { prize: 0, tax: 0 }, members: [] })
  const { status, body } = await list('2026-27-Q5')
  expect([status, Object.keys(body.fields)]).toEqual([400, ['quarter']])
})

test('only the table has the whole PAN, and the staff log says who read it', async () => {
  expect((await list('2026-27-Q2')).text).not.toContain(PAN)
  expect(await tableOf('2026-27-Q2')).toContain(`Asha Verma,${PAN},1,0.3,0.09,`)
  const { actions } = await world.db.one<{ actions: string[] }>(
    sql`select array_agg(distinct action order by action) as actions from audit_log where actor_id = ${finance}::bigint and subject = 'tax'`,
  )
  expect(actions).toEqual(['list.export', 'list.read'])
})

test('a certificate needs withheld tax in its quarter; the member then sees its number', async () => {
  const put = (quarter: string, id: string, number = 'qwer-123') =>
    papers.ask(`PUT /admin/tax/${quarter}/${id}`, { as: finance, body: { number } })
  const id = await publicIdOf(world.db, asha)
  expect((await put('2026-27-Q1', id)).status).toBe(404)
  expect((await put('2026-27-Q2', await publicIdOf(world.db, ravi))).status).toBe(404)
  expect((await put('2026-27-Q2', 'nobody')).status).toBe(404)
  expect((await put('2026-27-Q2', id, 'a b')).body.fields).toHaveProperty('number')
  expect((await put('2026-27-Q2', id)).body).toMatchObject({ number: 'QWER-123' })
  expect((await put('2026-27-Q2', id, 'X9')).body).toMatchObject({ number: 'X9' })
  const { tax } = (await papers.ask('GET /user/years/2026-27', { as: asha })).body
  expect(tax.certificates).toEqual([{ quarter: '2026-27-Q2', number: 'X9' }])
  const log = await world.db.query(sql`select before, after from audit_log where action = ${LOGGED.setCertificate}::text order by id`)
  expect(log).toEqual([
    { before: { number: null }, after: { quarter: '2026-27-Q2', number: 'QWER-123' } },
    { before: { number: 'QWER-123' }, after: { quarter: '2026-27-Q2', number: 'X9' } },
  ])
})
