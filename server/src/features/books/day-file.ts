/**
 * Makes a day's books from the ledger and the log (spec/protocol.md, chapter 12).
 *
 * - Books are checked before they are published; unsound ones throw `BooksHeldError`.
 * - Each account opens at its last closing, and all closings add up to zero.
 * - No debt is below zero, and a pool that was paid out is empty.
 * - The debt to members equals the sum of the parts that were cut for them.
 */
import { type BooksAccount, type BooksFile, type BooksFlow, type BooksSettlement, byText } from '@roz/core/books.ts'
import type { CloseRecord, ResultRecord } from '@roz/core/draw-records.ts'
import { hex } from '@roz/core/draw.ts'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { type Queryable, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { ACCOUNTS } from '../../ledger/accounts.ts'
import { listFlows } from '../../ledger/day-books.ts'
import { BooksHeldError, listCovers, writeCover } from '../../ledger/held-books.ts'
import { getRecord } from '../../transparency-log/records.ts'
import { expectHelpSound, readHelp } from './help-books.ts'
import type { Liabilities } from './liabilities.ts'

const POOL = 'POOL:'
const ENTRY_FEE_PAISE = 100
const ALWAYS = [...Object.keys(ACCOUNTS), 'MEMBERS']
const NEVER_NEGATIVE = ['MEMBERS', 'PAYOUTS_PENDING', 'REFUNDS_PENDING', 'SUSPENSE', 'HELP_FUND', 'PLATFORM', 'TAX_WITHHELD']
/** The accounts that members have a claim on. */
const OWED = ['MEMBERS', 'PAYOUTS_PENDING', 'REFUNDS_PENDING']
/** The kinds of transfer that empty a pool: these pay it out, `RETURNING` gives it back. */
const SETTLING = ['prize', 'tax', 'need', 'platform']
const RETURNING = 'round_refund'
const LOSSES = 'LOSSES'
/** A transfer that is dated on the wrong day can leave this account below zero, as it can a member's. */
const COVERED = 'SUSPENSE'

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0)
const roundOf = (pool: string): IstDay => pool.slice(POOL.length) as IstDay

/** A day's books from the ledger alone, without the liabilities. */
type DayLedger = {
  readonly day: IstDay
  readonly flows: readonly BooksFlow[]
  readonly accounts: readonly BooksAccount[]
  readonly owed: number
}

export async function readDayLedger(from: Queryable, day: IstDay): Promise<DayLedger> {
  const [given, back] = [await listCovers(from, day), await listCovers(from, addDays(day, -1))]
  const covers = [
    ...given.map(({ account, paise }) => ({ kind: 'cover', from: LOSSES, to: account, paise })),
    ...back.map(({ account, paise }) => ({ kind: 'cover_back', from: account, to: LOSSES, paise })),
  ]
  const flows = [...(await listFlows(from, day)), ...covers]
    .map(({ paise, ...flow }): BooksFlow => ({ ...flow, paise: Number(paise) }))
    .sort((a, b) => byText(a.kind, b.kind) || byText(a.from, b.from) || byText(a.to, b.to))
  const accounts = accountsOf(flows, (await findBooks(from, addDays(day, -1)))?.accounts ?? [])
  const owed = sum(accounts.filter(({ account }) => OWED.includes(account)).map(({ closing }) => closing))
  return { day, flows, accounts, owed }
}

/** Covers SUSPENSE from LOSSES if it closes below zero. */
export async function coverAccounts(tx: Tx, day: IstDay): Promise<void> {
  const { accounts } = await readDayLedger(tx, day)
  for (const { account, closing } of accounts)
    if (account === COVERED && closing < 0) await writeCover(tx, day, { account, amount: BigInt(-closing) })
}

export async function makeBooks(from: Queryable, { day, flows, accounts, owed }: DayLedger, liabilities: Liabilities): Promise<BooksFile> {
  const help = accounts.find(({ account }) => account === 'HELP_FUND') as BooksAccount
  const has = (kind: string): boolean => flows.some((flow) => flow.kind === kind)
  const books: BooksFile = {
    v: 1,
    day,
    intake: has('join') ? await intakeOf(from, day) : { count: 0, paise: 0 },
    settlements: await settlementsOf(from, flows),
    returns: flows
      .filter(({ kind }) => kind === RETURNING)
      .map(({ from: pool, paise }) => ({ round: roundOf(pool), paise }))
      .sort((a, b) => byText(a.round, b.round)),
    ...(await readHelp(from, day, help)),
    flows,
    accounts,
    liabilities: { count: liabilities.count, root: hex(liabilities.root), total: liabilities.total },
  }
  expectSound(books, owed)
  expectHelpSound(books, await findBooks(from, addDays(day, -1)))
  return books
}

export async function findBooks(from: Queryable, day: IstDay): Promise<BooksFile | undefined> {
  const row = await from.maybeOne<{ bytes: Buffer }>(sql`select bytes from books_day where day = ${day}::date`)
  return row === undefined ? undefined : (JSON.parse(row.bytes.toString()) as BooksFile)
}

/** The fixed accounts, and every pool that had or has something. */
function accountsOf(flows: readonly BooksFlow[], yesterday: readonly BooksAccount[]): BooksAccount[] {
  const openings = new Map(yesterday.map(({ account, closing }) => [account, closing]))
  const names = new Set([...ALWAYS, ...openings.keys(), ...flows.flatMap(({ from, to }) => [from, to])])
  return [...names]
    .sort(byText)
    .map((account) => {
      const opening = openings.get(account) ?? 0
      const received = sum(flows.filter(({ to }) => to === account).map(({ paise }) => paise))
      const out = sum(flows.filter(({ from }) => from === account).map(({ paise }) => paise))
      return { account, opening, in: received, out, closing: opening + received - out }
    })
    .filter(({ account, opening, in: received, out }) => !account.startsWith(POOL) || opening !== 0 || received !== 0 || out !== 0)
}

async function intakeOf(from: Queryable, day: IstDay): Promise<BooksFile['intake']> {
  const close = await from.maybeOne<{ bytes: Buffer }>(sql`select bytes from log_entry where day = ${day}::date and kind = 'close'`)
  const count = close === undefined ? 0 : (JSON.parse(close.bytes.toString()) as CloseRecord).count
  return { count, paise: count * ENTRY_FEE_PAISE }
}

/** The rounds whose pool was paid out, with the shares and winners of their result records. */
async function settlementsOf(from: Queryable, flows: readonly BooksFlow[]): Promise<BooksSettlement[]> {
  const pools = new Set(flows.filter(({ kind }) => SETTLING.includes(kind)).map((flow) => flow.from))
  const settlements: BooksSettlement[] = []
  for (const round of [...pools].map(roundOf).sort(byText)) {
    const result: ResultRecord = await getRecord(from, round, 'result')
    const { need, platform } = result.shares
    settlements.push({ round, need, platform, winners: result.winners.map(({ amount, tax, ticket }) => ({ amount, tax, ticket })) })
  }
  return settlements
}

/** Throws where the books contradict themselves: that is a fault of ours, and it must not be published. */
function expectSound(books: BooksFile, owed: number): void {
  const { accounts, flows, intake, liabilities } = books
  const expect = (holds: boolean, what: string): void => {
    if (!holds) throw new BooksHeldError(what)
  }
  const closing = (name: string): number => accounts.find(({ account }) => account === name)?.closing ?? 0
  expect(sum(accounts.map((account) => account.closing)) === 0, 'the closings do not add up to zero')
  for (const account of accounts) {
    const isDebt = NEVER_NEGATIVE.includes(account.account) || account.account.startsWith(POOL)
    expect(!isDebt || account.closing >= 0, `${account.account} closes at ${account.closing}`)
  }
  expect(sum(flows.filter(({ to }) => to.startsWith(POOL)).map(({ paise }) => paise)) === intake.paise, 'the pot is not the entries')
  const paid = (pool: string, kind: string): number =>
    sum(flows.filter((flow) => flow.from === pool && flow.kind === kind).map(({ paise }) => paise))
  for (const { round, need, platform, winners } of books.settlements) {
    const pool = `${POOL}${round}`
    expect(closing(pool) === 0, `${pool} is not empty`)
    expect(paid(pool, 'prize') === sum(winners.map(({ amount, tax }) => amount - tax)), `${pool} paid other prizes`)
    expect(paid(pool, 'tax') === sum(winners.map(({ tax }) => tax)), `${pool} paid another tax`)
    expect(paid(pool, 'need') === need && paid(pool, 'platform') === platform, `${pool} paid other shares`)
  }
  for (const { round } of books.returns) expect(closing(`${POOL}${round}`) === 0, `${POOL}${round} is not empty`)
  expect(liabilities.total === owed, `the parts add up to ${liabilities.total}, and ${owed} is owed`)
}
