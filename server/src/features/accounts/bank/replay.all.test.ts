/**
 * Random movements replayed as the statement of the bank: in files that are cut anywhere, doubled, newest first and imported in any order.
 * - When the bank has every movement, bank and books agree and nothing is open.
 * - Otherwise exactly the missing movements and the lines without one are listed, and they explain the difference to the paisa.
 * - A failure prints its seed, and ROZ_SEED repeats it.
 */
import { randomInt } from 'node:crypto'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { expect, test } from 'vitest'
import { sql } from '../../../db/sql.ts'
import { ACCOUNTS } from '../../../ledger/accounts.ts'
import { DAY, openDay } from '../../../ledger/testing/fixtures.ts'
import { type BankWorld, openBankWorld } from './testing/bank-world.ts'
import { statementText, type Line } from '../../../testing/statement.ts'

const SEED = Number(process.env['ROZ_SEED'] ?? randomInt(2 ** 31))
const DAYS = 7

/** Random numbers below a bound, the same for a seed (a linear congruential generator). */
const diceOf = (seed: number) => {
  let state = seed
  return (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}
type Dice = ReturnType<typeof diceOf>

function shuffled<T>(items: readonly T[], below: Dice): T[] {
  const left = [...items]
  return items.map(() => left.splice(below(left.length), 1)[0] as T)
}

/** A movement of the books; without a reference it needs a person. */
type Moved = Line & { readonly subject: string; readonly isKnown: boolean }

async function moveSome(world: BankWorld, below: Dice): Promise<Moved[]> {
  const moved: Moved[] = []
  for (let n = 0; n < DAYS; n++) {
    const day = addDays(DAY, n)
    await openDay(world.database, day)
    for (let turn = 0; turn < 1 + below(4); turn++) {
      // Few amounts, so that many are the same.
      const amount = paise(BigInt(1000 * (1 + below(3)) + below(2)))
      const number = String(600_000_000_000 + n * 1000 + turn)
      const which = below(3)
      if (which === 0) {
        const utr = await world.settled(amount, day, `UTR${number}`)
        const [{ ref } = { ref: '' }] = await world.db.query<{ ref: string }>(
          sql`select id::text as ref from outlay where purpose = ${utr}::text`,
        )
        moved.push({ day, amount, words: `NEFT CR-${utr}-CASHFREE`, subject: `gateway_settled:${ref}`, isKnown: true })
      } else {
        const isKnown = which === 1
        const subject = await world.paidOut(amount, number)
        moved.push({ day, amount: -amount, words: isKnown ? `UPI/00${number}/ASHA` : `CHEQUE ${n} ${turn}`, subject, isKnown })
      }
    }
  }
  await openDay(world.database, addDays(DAY, DAYS))
  return moved
}

/** Cuts a statement into files of whole days that overlap and repeat, in any order, each oldest or newest first. */
function filesOf(lines: readonly Line[], below: Dice): string[] {
  const days = [...new Set(lines.map(({ day }) => day))]
  const spans: [number, number][] = days.map((_, index) => [Math.max(0, index - below(3)), Math.min(days.length - 1, index + below(2))])
  return shuffled([...spans, ...spans.slice(0, 3)], below).map(([from, to]) => {
    const first = lines.findIndex(({ day }) => day === days[from])
    const opening = lines.slice(0, first).reduce((sum, { amount }) => sum + amount, 0n)
    const part = lines.filter(({ day }) => day >= (days[from] as IstDay) && day <= (days[to] as IstDay))
    return statementText(part, opening, below(2) === 0 ? 'oldest' : 'newest')
  })
}

/** Imports until no file has anything new; a file with a gap before it is tried again. */
async function importAll(world: BankWorld, files: readonly string[]): Promise<void> {
  for (let left = files; left.length > 0; ) {
    const refused: string[] = []
    for (const file of left) {
      const { body } = await world.importFile(file, addDays(DAY, DAYS - 1))
      if (['statement_gap', 'statement_gap_before', 'statement_either_way'].includes(body.code)) refused.push(file)
      else expect(body.code).toBeUndefined()
    }
    if (refused.length === left.length) throw new Error(`no file fits: ${refused.length} left`)
    left = refused
  }
}

/** A person matches what has no reference: the statement's own movement of each line. */
async function decideRest(world: BankWorld, lines: readonly Line[], moved: readonly Moved[]): Promise<void> {
  const byWords = new Map(moved.map((one) => [one.words, one]))
  for (const { id } of await world.lines('?status=open&limit=100')) {
    const { body } = await world.line(id)
    const subject = byWords.get(body.words)?.subject
    if (subject === undefined || !lines.some(({ words }) => words === body.words)) continue
    expect(body.candidates.map((one: { subject: string }) => one.subject)).toContain(subject)
    expect((await world.match(id, subject, 'open')).body.bankLine?.status).toBe('decided')
  }
}

test.each([1, 2, 3])('random history %i ends with the books equal to the bank, or with exactly what is missing listed', async (round) => {
  const seed = SEED + round
  const below = diceOf(seed)
  const world = await openBankWorld()
  try {
    await world.saveAccount()
    const moved = await moveSome(world, below)
    const isWhole = round === 1
    const dropped = isWhole ? [] : moved.filter((_, index) => index > 0 && below(6) === 0)
    const extra: Line[] = isWhole
      ? []
      : [2, 4].map((n) => ({ day: addDays(DAY, n), amount: -BigInt(1 + below(99)), words: `CHARGES OF DAY ${n}` }))
    const kept = moved.filter((one) => !dropped.includes(one))
    const lines: Line[] = [...kept, ...extra].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
    // A movement on a day without a line can only be listed once the statement reaches it: the first line is of the first day.
    await importAll(world, filesOf(lines, below))
    expect((await world.lines('?limit=100')).length).toBe(lines.length)
    const byItself = (await world.lines('?limit=100')).filter(({ status }) => status === 'matched').map(({ subject }) => subject)
    expect(byItself.toSorted()).toEqual(
      kept
        .filter(({ isKnown }) => isKnown)
        .map(({ subject }) => subject)
        .toSorted(),
    )
    await decideRest(world, lines, moved)

    const findings = await world.findings('?limit=100')
    expect(
      findings
        .filter(({ kind }) => kind === 'bank_missing')
        .map(({ subject }) => subject)
        .toSorted(),
    ).toEqual(dropped.map(({ subject }) => subject).toSorted())
    expect(
      findings
        .filter(({ kind }) => kind === 'bank_line')
        .map(({ amount }) => amount)
        .toSorted(),
    ).toEqual(extra.map(({ amount }) => Number(amount) / 100).toSorted())
    const sum = (of: readonly { readonly amount: bigint }[]): bigint => of.reduce((total, { amount }) => total + amount, 0n)
    const [{ books } = { books: 0n }] = await world.db.query<{ books: bigint }>(sql`
      select sum(case when debit = ${ACCOUNTS.BANK}::bigint then amount else -amount end)::bigint as books from transfer
       where ${ACCOUNTS.BANK}::bigint in (debit, credit)`)
    const difference = Number(sum(extra) - sum(dropped)) / 100
    const { unsettled, open, explained, ...check } = await world.check()
    expect(check).toEqual({
      day: addDays(DAY, DAYS - 1),
      isLate: false,
      bank: Number(sum(lines)) / 100,
      books: Number(books) / 100,
      difference,
    })
    expect(unsettled).toBe(difference)
    expect(open).toBe(extra.length + dropped.length)
    expect(explained.every(({ part }: { part: string }) => part === 'lines' || part === 'entries')).toBe(true)
    const inPaise = explained.reduce((total: number, { amount }: { amount: number }) => total + Math.round(amount * 100), 0)
    expect(inPaise).toBe(Math.round(difference * 100))
  } catch (error) {
    throw new Error(`ROZ_SEED=${SEED}`, { cause: error })
  } finally {
    await world.close()
  }
})
