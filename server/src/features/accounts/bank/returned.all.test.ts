/** Settlements that go back and come again: the bank has a line for each way, the books have one entry, and both agree. */
import { randomBytes, randomUUID } from 'node:crypto'
import { addDays } from '@roz/core/ist-day.ts'
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../../db/sql.ts'
import { useSettlementWorld } from '../../../testing/settlement-world.ts'
import { type Line, statementText } from '../../../testing/statement.ts'
import { HDFC } from './testing/samples.ts'

const world = useSettlementWorld({ APPROVAL_ABOVE: '250' })
const account = randomUUID()
const lines: Line[] = []
beforeAll(async () => {
  await world.ask(`PUT /admin/bank-accounts/${account}`, world.finance, { name: 'Current account', lastFour: '8901', mapping: HDFC })
})

const atBank = async (settlement: string, paise: bigint): Promise<void> => {
  const { utr } = (await world.settlements()).find(({ id }) => id === settlement) as { utr: string }
  lines.push({ day: addDays(world.today(), -1), amount: paise, words: `NEFT ${paise < 0n ? 'RETURN ' : ''}${utr} CASHFREE` })
}
const send = (where: string) => {
  const form = new FormData()
  form.set('file', new Blob([statementText(lines, 0n)], { type: 'text/csv' }), 'statement.csv')
  return world.calls.ask(`POST /admin/bank-accounts/${account}/${where}`, { as: world.finance, form })
}
const importLines = async () => send(`import?until=${addDays(world.today(), -1)}&seen=${(await send('preview')).body.seen}`)
const check = async () => (await world.ask('GET /admin/reconciliation')).body.bankCheck
const bankFindings = async () => (await world.findings()).filter(({ kind }) => String(kind).startsWith('bank_'))
const record = async (id: string, seen: object) =>
  expect((await world.ask(`POST /admin/gateway-settlements/${id}/record`, world.finance, seen)).body.entry.status).toBe('booked')
/** A settlement of ₹10 that was recorded. */
async function recordedTen(): Promise<string> {
  await world.paid(10)
  const id = await world.settle()
  await world.nextMorning()
  await record(id, { amount: 9.77, fee: 0.23 })
  return id
}
const goesBack = (id: string) => world.control(`/settlements/${id}`, { status: 'REVERSED', webhooks: 0 })

test('one that is covered, goes back again, and is taken off a larger one that goes back too: each line has its movement', async () => {
  const first = await recordedTen()
  await world.nextMorning()
  await atBank(first, 977n)
  expect((await importLines()).body).toEqual({ stored: 1, known: 0, matched: 1 })
  expect(await check()).toMatchObject({ bank: 9.77, books: 9.77, difference: 0 })

  await goesBack(first)
  await world.nextMorning()
  await atBank(first, -977n)
  // Nothing of the books moved yet: the line is open, and explains the difference.
  expect((await importLines()).body).toMatchObject({ stored: 1, matched: 0 })
  expect(await check()).toMatchObject({ difference: -9.77, explained: [{ part: 'lines', amount: -9.77 }] })

  const second = await world.settle()
  await world.nextMorning(2)
  await atBank(second, 977n)
  expect((await importLines()).body).toMatchObject({ stored: 1 })
  expect([await bankFindings(), (await check()).difference]).toEqual([[], 0])

  await goesBack(second)
  await world.paid(20)
  await world.nextMorning()
  await atBank(second, -977n)
  await importLines()
  expect(await check()).toMatchObject({ difference: -9.77, explained: [{ part: 'lines', amount: -9.77 }] })
  const third = await world.settle()
  await world.nextMorning()
  await record(third, { amount: 19.54, fee: 0.46 })
  await world.nextMorning()
  await atBank(third, 2931n)
  expect((await importLines()).body).toMatchObject({ stored: 1 })
  expect([await bankFindings(), await check()]).toMatchObject([
    [],
    { bank: 29.31, books: 29.31, difference: 0, unsettled: 0, open: 0, explained: [] },
  ])
  // The third settlement goes back, with the amount that was taken off it.
  await goesBack(third)
  await world.paid(10)
  await world.nextMorning()
  await atBank(third, -2931n)
  await importLines()
  expect(await check()).toMatchObject({ difference: -29.31, explained: [{ part: 'lines', amount: -29.31 }] })
  const fourth = await world.settle()
  await world.nextMorning()
  await record(fourth, { amount: 9.77, fee: 0.23 })
  await world.nextMorning()
  await atBank(fourth, 3908n)
  expect((await importLines()).body).toMatchObject({ stored: 1 })
  expect([await bankFindings(), await check()]).toMatchObject([
    [],
    { bank: 39.08, books: 39.08, difference: 0, unsettled: 0, open: 0, explained: [] },
  ])
  const statuses = (await world.ask('GET /admin/bank-lines')).body.lines.map(({ status }: { status: string }) => status)
  expect(statuses).toEqual(Array.from({ length: 7 }, () => 'matched'))
})

test('one that is taken off two smaller ones: its return has its movement once both are recorded', async () => {
  const begin = (await check()).bank as number
  const after = (paise: number) => Math.round(begin * 100 + paise) / 100
  const first = await recordedTen()
  await goesBack(first)
  await atBank(first, 977n)
  await world.nextMorning()
  await atBank(first, -977n)
  const second = await world.settle({ adjustment: -6, remarks: 'Chargeback fees' })
  await world.nextMorning()
  await record(second, { amount: 0.01, fee: 0 })
  await world.nextMorning()
  await atBank(second, 377n)
  await importLines()
  expect(await check()).toMatchObject({
    bank: after(377),
    books: after(978),
    difference: -6.01,
    explained: [
      { part: 'entries', amount: 3.76 },
      { part: 'lines', amount: -9.77 },
    ],
  })
  await world.paid(20)
  const third = await world.settle()
  await world.nextMorning()
  await record(third, { amount: 13.53, fee: 0.46 })
  await world.nextMorning()
  await atBank(third, 1954n)
  await importLines()
  expect([await bankFindings(), await check()]).toMatchObject([[], { bank: after(2331), books: after(2331), difference: 0, explained: [] }])
})

test('one whose correction was rejected is one again when the settlement is typed whole: nothing was taken off it', async () => {
  const begin = (await check()).bank as number
  const first = await recordedTen()
  await goesBack(first)
  await atBank(first, 977n)
  await world.nextMorning()
  await atBank(first, -977n)
  await world.paid(300)
  const second = await world.settle()
  await world.nextMorning()
  const [seen] = (await world.settlements('?status=to_record')) as [{ paid: number; kept: number; amount: number; fee: number }]
  const asked = await world.ask(`POST /admin/gateway-settlements/${second}/record`, world.finance, { amount: seen.amount, fee: seen.fee })
  const { entry } = asked.body
  expect(entry.status).toBe('requested')
  const decide = (id: string, what: string, body: object) =>
    world.ask(`POST /admin/house-entries/${id}/${what}`, world.owner, { status: 'requested', ...body })
  expect((await decide(entry.id, 'reject', { reason: 'I type it' })).status).toBe(200)
  const bill = randomBytes(32)
  await world.db.query(sql`
    insert into receipt (hash, file, bytes, width, height, uploaded_by)
    values (${bill}::bytea, 'report.webp', 1, 1, 1, ${world.finance}::bigint)`)
  const typed = { reference: second, day: world.today(), amount: seen.paid, fee: seen.kept, receipts: [bill.toString('hex')] }
  const whole = (await world.ask('POST /admin/settlements', world.finance, typed)).body.entry
  expect(whole.status).toBe('requested')
  expect((await decide(whole.id, 'approve', {})).body.entry.status).toBe('booked')
  await atBank(second, BigInt(Math.round(seen.paid * 100)))
  await world.nextMorning()
  await importLines()
  // The bank does not have what went back; the books do, until a later settlement is recorded less it.
  expect(await bankFindings()).toMatchObject([{ kind: 'bank_line', amount: -9.77 }])
  const cameBack = (await world.findings()).filter(({ kind }) => kind === 'came_back')
  expect(cameBack).toMatchObject([{ settlement: first, amount: 10 }])
  expect(await check()).toMatchObject({ bank: Math.round((begin + seen.paid) * 100) / 100, difference: -9.77 })
})
