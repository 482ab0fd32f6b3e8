/** A bank statement in the portal: imported once, matched by reference, decided by a person, compared to the paisa, and kept private. */
import { randomUUID } from 'node:crypto'
import { addDays, type IstDay, nextDay } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../db/sql.ts'
import { readBalances } from '../../../ledger/balances.ts'
import { DAY, openDay } from '../../../ledger/testing/fixtures.ts'
import { readTodo } from '../../desk/todo.ts'
import { openBankWorld } from './testing/bank-world.ts'
import { statementText, type Line } from '../../../testing/statement.ts'
import { SBI } from './testing/samples.ts'
import { perFile } from '../../../testing/fixture.ts'

const [FIRST, TODAY, TOMORROW] = [DAY, nextDay(DAY), addDays(DAY, 2)]
/** The entry that the call leaves in the staff log. */
const LOGGED = { matchBankLine: 'bank_line.match' } as const
const world = perFile(openBankWorld)
/** Two movements on the first day: a settlement of ₹100 and a withdrawal of ₹40, with the bank's numbers. */
const lines: Line[] = []
let paidOut: string
beforeAll(async () => {
  const utr = await world.settled(wholeRupees(100), FIRST)
  paidOut = await world.paidOut(wholeRupees(40), '630512345678')
  lines.push(
    { day: FIRST, amount: 10_000n, words: `NEFT CR-YESB0000001-CASHFREE PAYMENTS-${utr}` },
    { day: FIRST, amount: -4000n, words: 'UPI/DR/000630512345678/ASHA VERMA/11112222333344' },
  )
  await openDay(world.database, TODAY)
})

describe('an account', () => {
  test('is saved by finance with the columns of its statement, and its name is unique', async () => {
    expect((await world.saveAccount({}, world.accountId, world.staff.support)).body.code).toBe('forbidden')
    const { status, body } = await world.saveAccount()
    expect([status, body.account]).toMatchObject([200, { name: 'Current account', lastFour: '8901', lines: 0, until: null, closing: null }])
    const both = await Promise.all([randomUUID(), randomUUID()].map((id) => world.saveAccount({ name: 'Savings' }, id)))
    expect(both.map(({ body: { code } }) => code ?? 'saved').sort()).toEqual(['bank_account_exists', 'saved'])
    expect((await world.saveAccount({ lastFour: '12' })).body.fields).toEqual({
      lastFour: 'Please enter the last four digits of the account number',
    })
    const wrong = await world.saveAccount({ mapping: { ...SBI, amount: 'Amount' } })
    expect(Object.keys(wrong.body.fields)).toEqual(['mapping.amount'])
    const read = await world.calls.ask('GET /admin/bank-accounts', { as: world.staff.auditor })
    expect(read.body.accounts.map(({ name }: { name: string }) => name)).toEqual(['Current account', 'Savings'])
    expect(await world.check()).toBeNull()
  })
})

describe('an import', () => {
  test('is shown first and stores nothing; a wrong file, day or person is refused', async () => {
    const file = statementText(lines, 0n)
    const { status, body } = await world.preview(file)
    expect([status, body]).toMatchObject([200, { lines: 2, known: 0, from: FIRST, until: FIRST, opening: 0, closing: 60 }])
    expect(body.sample[1]).toMatchObject({ day: FIRST, amount: -40, balance: 60, words: lines[1]?.words })
    expect(await world.lines()).toEqual([])
    expect((await world.preview(file, world.accountId, world.staff.auditor)).body.code).toBe('forbidden')
    expect((await world.preview(file, randomUUID())).body.code).toBe('bank_account_not_found')
    expect((await world.preview('x')).body).toMatchObject({ code: 'statement_no_header' })
    expect((await world.preview(Buffer.alloc(2 * 1024 * 1024 + 1, 0x61))).body.code).toBe('statement_too_large')
    for (const until of [TOMORROW, addDays(FIRST, -1)])
      expect(Object.keys((await world.importFile(file, until)).body.fields)).toEqual(['until'])
    const other = await world.send(`${world.accountId}/import?seen=${body.seen}&until=${FIRST}`, statementText(lines.slice(0, 1), 0n))
    expect(other.body.code).toBe('changed_since_seen')
  })

  test('pressed by two people at once stores each line once, and matches what has its reference and amount', async () => {
    const file = statementText(lines, 0n)
    const both = await Promise.all([world.importFile(file, FIRST), world.importFile(file, FIRST, world.accountId, world.staff.owner)])
    expect(both.map(({ body }) => body).sort((a, b) => b.stored - a.stored)).toEqual([
      { stored: 2, known: 0, matched: 2 },
      { stored: 0, known: 2, matched: 0 },
    ])
    const stored = await world.lines()
    expect(stored.map(({ amount, status }) => [amount, status]).sort()).toEqual([
      [-40, 'matched'],
      [100, 'matched'],
    ])
    expect(stored.find(({ amount }) => amount === -40)).toMatchObject({ subject: paidOut, account: 'Current account', balance: 60 })
    expect(await world.check()).toEqual({
      day: FIRST,
      isLate: false,
      bank: 60,
      books: 60,
      difference: 0,
      unsettled: 0,
      open: 0,
      explained: [],
    })
    expect(await world.findings()).toEqual([])
  })

  test('that overlaps stores only what is new; a gap, other lines of a day and a broken chain are refused', async () => {
    const more: Line = { day: TODAY, amount: 500n, words: 'INT.PD 01-11-2026' }
    const late: Line = { day: TODAY, amount: -200n, words: 'SMS CHARGES' }
    expect((await world.importFile(statementText([late], 9999n), TODAY)).body).toMatchObject({
      code: 'statement_gap',
      message: `This file begins with a balance of ₹99.99. The stored line before it, of ${FIRST}, ends with ₹60.00. Import the days between first.`,
    })
    expect((await world.importFile(statementText([{ ...(lines[0] as Line), amount: 10_001n }], 0n), TODAY)).body.code).toBe(
      'statement_differs',
    )
    const older: Line = { day: addDays(FIRST, -1), amount: 100n, words: 'older' }
    expect((await world.importFile(statementText([older], 0n), TODAY)).body.code).toBe('statement_gap_before')
    const overlapping = statementText([...lines, more], 0n, 'newest')
    expect((await world.importFile(overlapping, TODAY)).body).toEqual({ stored: 1, known: 2, matched: 0 })
    expect((await world.importFile(overlapping, TODAY)).body).toEqual({ stored: 0, known: 3, matched: 0 })
    expect((await world.importFile(statementText([more, late], 6000n), TODAY)).body).toEqual({ stored: 1, known: 1, matched: 0 })
    // Days before the first one end where it begins.
    expect(
      (
        await world.importFile(
          statementText(
            [
              { ...older, amount: 0n + 100n },
              { ...older, amount: -100n },
            ],
            0n,
          ),
          TODAY,
        )
      ).body,
    ).toMatchObject({ stored: 2 })
    expect((await world.check()).difference).toBe(0)
    await expect(
      world.db.query(sql`
      insert into bank_line (id, account_id, position, day, amount, balance, sealed_words)
      values (${randomUUID()}::uuid, ${world.accountId}::uuid, 99, ${TODAY}::date, 100, 1, 'x')`),
    ).rejects.toThrow('does not follow')
    await expect(world.db.query(sql`update bank_line set amount = amount + 1`)).rejects.toThrow('changes')
  })
})

describe('what is left over', () => {
  const openLine = async (amount: number) =>
    (await world.lines('?status=open')).find((line) => line['amount'] === amount) as Record<string, unknown>

  test('is a finding each, with its sum in the check, and ends when a person matches it', async () => {
    await openDay(world.database, TOMORROW)
    await world.compare()
    // Today's interest and charges, and yesterday's two that cancel each other.
    expect(await world.check()).toEqual({
      day: TODAY,
      isLate: false,
      bank: 63,
      books: 60,
      difference: 3,
      unsettled: 3,
      open: 4,
      explained: [{ part: 'lines', amount: 3, count: 4 }],
    })
    const found = await world.findings()
    expect(found.map(({ kind, amount }) => [kind, amount]).sort()).toEqual([
      ['bank_line', -1],
      ['bank_line', -2],
      ['bank_line', 1],
      ['bank_line', 5],
    ])
    const view = { viewer: { memberId: world.staff.finance, staffRole: 'finance' as const }, payoutsByHand: false }
    expect((await readTodo(world.db, view)).find(({ code }) => code === 'findings')).toMatchObject({ count: 4 })

    // The same amount without a reference is proposed, and taken once although two people press.
    const sent = await world.paidOut(200n as never, 'by cheque')
    const charges = await openLine(-2)
    const read = await world.line(charges['id'])
    expect(read.body).toMatchObject({
      words: 'SMS CHARGES',
      candidates: [{ subject: sent, kind: 'wd_paid', amount: -2, hasReference: false }],
    })
    expect((await world.match(charges['id'], paidOut, 'open')).body.code).toBe('bank_match_refused')
    const both = await Promise.all([world.match(charges['id'], sent, 'open'), world.match(charges['id'], sent, 'open', world.staff.owner)])
    expect(both.map(({ body }) => body.code ?? body.bankLine.status).sort()).toEqual(['changed_since_seen', 'decided'])
    // The books have it a day later than the bank.
    expect(await world.check()).toMatchObject({
      difference: 3,
      explained: [
        { part: 'lines', amount: 5, count: 3 },
        { part: 'other_day', amount: -2, count: 1 },
      ],
    })
    const [log] = await world.db.query(
      sql`select action from audit_log where subject = ${`bank_line:${String(charges['id'])}`}::text and action = ${LOGGED.matchBankLine}::text`,
    )
    expect(log).toBeDefined()
  })

  test('a match that was wrong is taken back, and the matching by itself leaves the line alone', async () => {
    const line = (await world.lines()).find(({ subject }) => subject === paidOut) as Record<string, unknown>
    expect((await world.match(line['id'], null, 'matched')).body.bankLine).toMatchObject({ status: 'open', subject: null })
    expect((await world.match(line['id'], null, 'open')).body.code).toBe('bank_match_refused')
    await world.compare()
    expect(
      (await world.findings()).filter(({ subject }) => subject === paidOut || subject === `bank_line:${String(line['id'])}`),
    ).toHaveLength(2)
    const { candidates, line: open } = (await world.line(line['id'])).body
    expect(candidates).toMatchObject([{ subject: paidOut, reference: '630512345678', hasReference: true }])
    expect((await world.match(line['id'], paidOut, 'open')).body.bankLine).toMatchObject({ status: 'decided', subject: paidOut })
    // Somebody who did not see this entry takes nothing back.
    const body = { status: 'decided', seen: open.seen, subject: null }
    const stale = await world.calls.ask(`POST /admin/bank-lines/${String(line['id'])}/match`, { as: world.staff.finance, body })
    expect(stale.body.code).toBe('changed_since_seen')
    expect((await world.findings()).filter(({ subject }) => subject === paidOut)).toEqual([])
  })

  test('is closed with a reason: the check says what it comes to, and is settled once all is closed', async () => {
    for (const { id } of await world.findings())
      await world.calls.ask(`POST /admin/findings/${String(id)}/close`, {
        as: world.staff.finance,
        body: { status: 'open', reason: 'Interest of the bank' },
      })
    expect(await world.findings()).toEqual([])
    expect((await world.lines('?status=open')).length).toBe(0)
    expect(await world.check()).toMatchObject({
      difference: 3,
      unsettled: -2,
      explained: [
        { part: 'lines', amount: 5 },
        { part: 'other_day', amount: -2 },
      ],
    })
    expect((await world.lines()).filter(({ status }) => status === 'closed')).toHaveLength(3)
  })
})

test('neither the list, the findings, the staff log nor the table has the words of the bank; a reader of one line is logged', async () => {
  const said = JSON.stringify([
    await world.lines(),
    await world.findings('?status=past'),
    await world.db.query(sql`select a::text from audit_log a`),
    await world.db.query(sql`select id, day, subject, encode(sealed_words, 'escape') from bank_line`),
  ])
  expect(said).not.toMatch(/ASHA|11112222333344|SMS CHARGES/)
  const [line] = await world.lines()
  expect((await world.line(line?.['id'], world.staff.support)).body.code).toBe('forbidden')
  const before = await world.db.one<{ n: number }>(sql`select count(*)::int as n from audit_log where action = 'bank_line.read'`)
  expect((await world.line(line?.['id'], world.staff.auditor)).status).toBe(200)
  expect(await world.db.one<{ n: number }>(sql`select count(*)::int as n from audit_log where action = 'bank_line.read'`)).toEqual({
    n: before.n + 1,
  })
  expect((await world.line('none')).body.code).toBe('bank_line_not_found')
  const stale = await world.calls.ask(`GET /admin/bank-lines/${String(line?.['id'])}`, { as: world.staff.finance, isStale: true })
  expect(stale.body.code).toBe('step_up_required')
})

test('a file of one day that adds up from either end is laid over what is stored', async () => {
  const other = await openBankWorld()
  try {
    await other.saveAccount()
    const three: Line[] = [1000n, 500n, -500n].map((amount) => ({ day: FIRST, amount, words: `of ${amount}` }))
    await other.importFile(statementText(three.slice(0, 1), 0n), FIRST)
    await openDay(other.database, TODAY)
    const pair = three.slice(1).map((line) => ({ ...line, day: TODAY }))
    expect((await other.importFile(statementText(pair, 1000n, 'newest'), TODAY)).body).toMatchObject({ stored: 2 })
    expect((await other.lines('?status=open')).map(({ balance }) => balance).toSorted()).toEqual([10, 10, 15])
  } finally {
    await other.close()
  }
})

test('days that come to zero are taken after the days around them, and nothing else is', async () => {
  const other = await openBankWorld()
  try {
    await other.saveAccount()
    const line = (day: IstDay, amount: bigint): Line => ({ day, amount, words: `of ${amount}` })
    const [second, third] = [TODAY, TOMORROW]
    await openDay(other.database, TOMORROW)
    await other.importFile(statementText([line(FIRST, 1000n), line(third, 200n)], 0n), third)
    const between = [line(second, 500n), line(second, -500n)]
    expect((await other.importFile(statementText([line(second, 500n), line(second, -400n)], 1000n), third)).body.code).toBe(
      'statement_gap_before',
    )
    expect((await other.importFile(statementText(between, 999n), third)).body.code).toBe('statement_gap')
    const both = await Promise.all([1, 2].map(() => other.importFile(statementText(between, 1000n, 'newest'), third)))
    expect(both.map(({ body }) => body.stored).sort()).toEqual([0, 2])
    expect((await other.importFile(statementText([line(FIRST, 1000n), ...between, line(third, 200n)], 0n), third)).body).toMatchObject({
      known: 4,
    })
    expect((await other.importFile(statementText([line(FIRST, 1000n), line(third, 200n)], 0n), third)).body.code).toBe('statement_differs')
    await openDay(other.database, addDays(third, 1))
    await other.compare()
    expect(await other.check()).toMatchObject({ day: third, bank: 12 })
  } finally {
    await other.close()
  }
})

test('a first file that adds up from either end is refused: nothing says which end is older', async () => {
  const other = await openBankWorld()
  try {
    await other.saveAccount()
    const pair: Line[] = [500n, -500n].map((amount) => ({ day: FIRST, amount, words: 'either' }))
    expect((await other.importFile(statementText(pair, 0n), FIRST)).body.code).toBe('statement_either_way')
    expect((await other.importFile(statementText([{ day: FIRST, amount: 100n, words: 'first' }, ...pair], 0n), FIRST)).body).toMatchObject({
      stored: 3,
    })
  } finally {
    await other.close()
  }
})

test('a first balance that the books do not know is a finding of its own, and says so', async () => {
  const other = await openBankWorld()
  try {
    await other.saveAccount()
    const reference = await other.settled(wholeRupees(10), FIRST)
    await openDay(other.database, TODAY)
    await other.importFile(statementText([{ day: FIRST, amount: 1000n, words: reference }], 500_000n), FIRST)
    expect(await other.check()).toMatchObject({ bank: 5010, books: 10, difference: 5000, explained: [{ part: 'opening', amount: 5000 }] })
    const [finding] = await other.findings()
    expect(finding).toMatchObject({ kind: 'bank_opening', amount: 5000 })
    await other.calls.ask(`POST /admin/findings/${String(finding?.['id'])}/close`, {
      as: other.staff.finance,
      body: { status: 'open', reason: 'Our own deposit' },
    })
    expect(await other.check()).toMatchObject({ difference: 5000, unsettled: 0 })
    expect(-(await readBalances(other.db)).BANK).toBe(1000n)
  } finally {
    await other.close()
  }
})

test('a taken sum and an invented balance of another account do not cancel each other out: both stay open', async () => {
  const other = await openBankWorld()
  try {
    await other.saveAccount()
    const reference = await other.settled(wholeRupees(10), FIRST)
    await openDay(other.database, TODAY)
    const taken: Line[] = [
      { day: FIRST, amount: 1000n, words: reference },
      { day: FIRST, amount: -1000n, words: 'CASH' },
    ]
    await other.importFile(statementText(taken, 0n), FIRST)
    const second = randomUUID()
    await other.saveAccount({ name: 'Invented', lastFour: '1111' }, second)
    await other.importFile(statementText([{ day: FIRST, amount: 100n, words: 'OPENED' }], 900n), FIRST, second)
    expect(await other.check()).toMatchObject({ difference: 0, open: 3 })
    // A statement that was seen for one account is imported into no other.
    const next = statementText([{ day: TODAY, amount: 5n, words: 'INTEREST' }], 0n)
    const { body } = await other.preview(next, other.accountId)
    expect((await other.send(`${second}/import?seen=${String(body.seen)}&until=${TODAY}`, next)).status).toBe(409)
  } finally {
    await other.close()
  }
})
