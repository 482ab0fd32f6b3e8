/**
 * Checks the books of a day: their form, their sums and their continuity with the day before (spec/protocol.md, chapter 12).
 */
import { MalformedError } from './bytes.ts'
import { assertAscending, balance, day, hash, list, literal, record, type Shape, text, whole } from './canonical.ts'
import { shiftDay } from './day.ts'
import { assertHelpOrder, checkHelp, checkHelpDays, helpShape, houseShape } from './help.ts'
import type { DayInLog } from './log.ts'
import { fail, incomplete } from './steps.ts'
import { flowed, sum } from './sums.ts'

const ALWAYS = [
  'BANK',
  'GATEWAY',
  'GATEWAY_FEES',
  'HELP_FUND',
  'LOSSES',
  'MEMBERS',
  'PAYOUTS_PENDING',
  'PLATFORM',
  'REFUNDS_PENDING',
  'SUSPENSE',
  'TAX_WITHHELD',
] as const
const NEVER_NEGATIVE = new Set(['MEMBERS', 'PAYOUTS_PENDING', 'REFUNDS_PENDING', 'SUSPENSE', 'HELP_FUND', 'PLATFORM', 'TAX_WITHHELD'])

/** The allowed pairs of accounts (from>to) of each transfer kind. POOL is the pool of any day. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  topup: ['GATEWAY>MEMBERS'],
  topup_suspense: ['GATEWAY>SUSPENSE'],
  suspense_credit: ['SUSPENSE>MEMBERS'],
  suspense_refund: ['SUSPENSE>REFUNDS_PENDING'],
  suspense_paid: ['SUSPENSE>BANK'],
  join: ['MEMBERS>POOL'],
  prize: ['POOL>MEMBERS'],
  need: ['POOL>HELP_FUND'],
  platform: ['POOL>PLATFORM'],
  tax: ['POOL>TAX_WITHHELD'],
  round_refund: ['POOL>MEMBERS'],
  disbursement: ['HELP_FUND>BANK'],
  disbursement_back: ['BANK>HELP_FUND'],
  platform_out: ['PLATFORM>BANK'],
  tds_remitted: ['TAX_WITHHELD>BANK'],
  losses_covered: ['PLATFORM>LOSSES'],
  gift: ['MEMBERS>HELP_FUND'],
  gateway_settled: ['BANK>GATEWAY', 'GATEWAY_FEES>GATEWAY'],
  wd_hold: ['MEMBERS>PAYOUTS_PENDING'],
  wd_paid: ['PAYOUTS_PENDING>BANK'],
  wd_back: ['PAYOUTS_PENDING>MEMBERS'],
  wd_reversed: ['BANK>MEMBERS', 'BANK>SUSPENSE'],
  wd_conflict: ['LOSSES>BANK'],
  wd_conflict_back: ['BANK>LOSSES'],
  refund_hold: ['MEMBERS>REFUNDS_PENDING'],
  refund_paid: ['REFUNDS_PENDING>GATEWAY'],
  refund_failed: ['REFUNDS_PENDING>MEMBERS', 'REFUNDS_PENDING>SUSPENSE'],
  refund_reversed: ['GATEWAY>MEMBERS', 'GATEWAY>SUSPENSE'],
  refund_conflict: ['LOSSES>GATEWAY'],
  refund_conflict_back: ['GATEWAY>LOSSES'],
  chargeback: ['MEMBERS>GATEWAY', 'LOSSES>GATEWAY', 'SUSPENSE>GATEWAY'],
  chargeback_back: ['GATEWAY>MEMBERS', 'GATEWAY>LOSSES', 'GATEWAY>SUSPENSE'],
  cover: ['LOSSES>MEMBERS', 'LOSSES>SUSPENSE'],
  cover_back: ['MEMBERS>LOSSES', 'SUSPENSE>LOSSES'],
  debt_paid: ['MEMBERS>LOSSES', 'SUSPENSE>LOSSES'],
  debt_back: ['LOSSES>MEMBERS', 'LOSSES>SUSPENSE'],
}

const shape = record({
  v: literal(1),
  day,
  intake: record({ count: whole, paise: whole }),
  settlements: list(
    record({ need: whole, platform: whole, round: day, winners: list(record({ amount: whole, tax: whole, ticket: hash })) }),
  ),
  returns: list(record({ paise: whole, round: day })),
  help: helpShape,
  house: houseShape,
  flows: list(record({ from: text, kind: text, paise: whole, to: text })),
  accounts: list(record({ account: text, closing: balance, in: whole, opening: balance, out: whole })),
  liabilities: record({ count: whole, root: hash, total: whole }),
})
export type Books = ReturnType<typeof shape>

const poolDay = (account: string): string | undefined => /^POOL:(\d{4}-\d{2}-\d{2})$/.exec(account)?.[1]

/** Checks the form only: keys, values and order. The steps check the numbers. */
export const booksShape: Shape<Books> = (value, where) => {
  const books = shape(value, where)
  const names = books.accounts.map(({ account }) => account)
  assertAscending(names, `${where}.accounts`)
  assertAscending(
    books.settlements.map(({ round }) => round),
    `${where}.settlements`,
  )
  assertAscending(
    books.returns.map(({ round }) => round),
    `${where}.returns`,
  )
  assertAscending(
    books.flows.map(({ kind, from, to }) => `${kind}\n${from}\n${to}`),
    `${where}.flows`,
  )
  assertHelpOrder(books, where)
  if (books.flows.some(({ paise }) => paise === 0)) throw new MalformedError(`${where} has a flow of 0 paise`)
  for (const account of ALWAYS) if (!names.includes(account)) throw new MalformedError(`${where} lacks the account ${account}`)
  for (const { account, opening, in: taken, out } of books.accounts) {
    if ((ALWAYS as readonly string[]).includes(account)) continue
    day(poolDay(account), `${where}: the account ${account}`)
    if (opening === 0 && taken === 0 && out === 0) throw new MalformedError(`${where} has an idle ${account}`)
  }
  return books
}

type Flow = Books['flows'][number]

/** Indexes flows by one side: hostile books may have many accounts and flows, and a scan per account would be quadratic. */
function bySide(flows: readonly Flow[], side: 'from' | 'to'): (account: string) => readonly Flow[] {
  const found = new Map<string, Flow[]>()
  for (const flow of flows) {
    const others = found.get(flow[side])
    if (others === undefined) found.set(flow[side], [flow])
    else others.push(flow)
  }
  return (account) => found.get(account) ?? []
}

export function checkBalance(books: Books, inLog: (day: string) => DayInLog): string {
  const { flows, accounts, intake, help } = books
  const [leaving, coming] = [bySide(flows, 'from'), bySide(flows, 'to')]
  for (const { account, opening, in: taken, out, closing } of accounts) {
    const to = sum(coming(account).map(({ paise }) => paise))
    const from = sum(leaving(account).map(({ paise }) => paise))
    if (taken !== to || out !== from) fail(`${account}: its flows are ${to} in and ${from} out, it says ${taken} and ${out}`)
    if (closing !== sum([opening, taken, -out])) fail(`${account}: ${opening} + ${taken} − ${out} is not ${closing} paise`)
    if (closing < 0 && (NEVER_NEGATIVE.has(account) || poolDay(account) !== undefined))
      fail(`${account} closes below zero: ${closing} paise`)
  }
  const total = sum(accounts.map(({ closing }) => closing))
  if (total !== 0) fail(`the closings add up to ${total} paise instead of zero`)
  const names = new Set(accounts.map(({ account }) => account))
  for (const { kind, from, to } of flows) {
    const pair = `${from}>${to}`.replaceAll(/POOL:[\d-]+/g, 'POOL')
    if (!Object.hasOwn(KINDS, kind) || KINDS[kind]?.includes(pair) !== true)
      fail(`a flow ${kind} from ${from} to ${to} is of an unknown kind`)
    if (!names.has(from) || !names.has(to)) fail(`a flow ${kind} between accounts that are not in the books`)
  }
  checkIntake(books, inLog)
  checkPools(books, inLog)
  const fund = accounts.find(({ account }) => account === 'HELP_FUND')
  if (fund?.opening !== help.opening || fund.in !== help.in || fund.closing !== help.closing)
    fail('help differs from the account HELP_FUND')
  checkHelp(books)
  return `${flows.length} flows between ${accounts.length} accounts; all accounts add up to zero, ${intake.count} entries brought ${intake.paise} paise`
}

/** Pools that still have money at the end of the day after their round. */
export const overduePools = ({ day: today, accounts }: Books): readonly string[] =>
  accounts.flatMap(({ account, closing }) => (closing > 0 && (poolDay(account) ?? today) < shiftDay(today, -1) ? [account] : []))

function checkIntake({ day: today, intake, flows }: Books, inLog: (day: string) => DayInLog): void {
  const { close, void: ended } = inLog(today)
  const count = close?.record.count ?? (ended?.record.reason === 'empty' ? 0 : incomplete(`the log has no close of ${today}`))
  if (intake.count !== count || intake.paise !== 100 * count)
    fail(`${count} entries were sealed, the books took in ${intake.count} and ${intake.paise} paise`)
  const joins = flows.filter(({ kind }) => kind === 'join')
  const isRight = joins.every(({ to }) => to === `POOL:${today}`) && sum(joins.map(({ paise }) => paise)) === intake.paise
  if (!isRight) fail('what flowed into pools is not the intake of the day')
}

/** Outgoing paise of a pool by transfer kind. */
type Leaving = Readonly<Record<'prize' | 'tax' | 'need' | 'platform' | 'round_refund', number>>

function checkPools(books: Books, inLog: (day: string) => DayInLog): void {
  const own = inLog(books.day).books
  if (own === undefined) return incomplete(`the log has no books of ${books.day}`)
  const leaving = new Map<string, Leaving>()
  for (const settlement of books.settlements) {
    const { result } = inLog(settlement.round)
    if (result === undefined || result.index > own.index)
      return fail(`the round of ${settlement.round} was paid out before its result was in the log`)
    checkSettlement(settlement, result.record)
    const tax = sum(settlement.winners.map((winner) => winner.tax))
    const prize = sum(settlement.winners.map((winner) => winner.amount)) - tax
    leaving.set(settlement.round, { prize, tax, need: settlement.need, platform: settlement.platform, round_refund: 0 })
  }
  for (const { round, paise } of books.returns) {
    const { void: ended, close } = inLog(round)
    const isVoid = ended?.record.reason === 'beacon' && ended.index < own.index
    if (!isVoid || leaving.has(round)) return fail(`the round of ${round} was returned although it is not void`)
    if (close === undefined || paise !== 100 * close.record.count)
      return fail(`the round of ${round} returned a different amount: ${paise} paise`)
    leaving.set(round, { prize: 0, tax: 0, need: 0, platform: 0, round_refund: paise })
  }
  const given = bySide(books.flows, 'from')
  const closings = new Map(books.accounts.map(({ account, closing }) => [account, closing]))
  for (const [round, kinds] of leaving) {
    const pool = `POOL:${round}`
    for (const [kind, paise] of Object.entries(kinds)) {
      const out = flowed(given(pool), kind)
      if (out !== paise) fail(`${pool} gave ${out} paise as ${kind}, its round owes ${paise}`)
    }
    if (closings.get(pool) !== 0) fail(`${pool} was paid out and does not close at 0`)
  }
  const stray = books.flows.find(({ from }) => from.startsWith('POOL:') && !leaving.has(from.slice(5)))
  if (stray !== undefined) fail(`${stray.from} gave ${stray.paise} paise as ${stray.kind} without a settlement`)
}

type Settlement = Books['settlements'][number]
type Result = NonNullable<DayInLog['result']>['record']

function checkSettlement({ round, need, platform, winners }: Settlement, result: Result): void {
  const plain = (list: readonly { readonly amount: number; readonly tax: number; readonly ticket: string }[]): string =>
    list.map(({ amount, tax, ticket }) => `${ticket} ${amount} ${tax}`).join('\n')
  if (need !== result.shares.need || platform !== result.shares.platform || plain(winners) !== plain(result.winners))
    fail(`the settlement of ${round} is not its result`)
}

/** Checks that each cover of the day before is paid back today, exactly. */
function checkCovers(books: Books, before: Books | undefined): void {
  const sides = (flows: readonly Flow[], kind: string, account: (flow: Flow) => string): string =>
    flows.flatMap((flow) => (flow.kind === kind ? [`${account(flow)} ${flow.paise}`] : [])).join(', ')
  const lent = sides(before?.flows ?? [], 'cover', ({ to }) => to)
  const back = sides(books.flows, 'cover_back', ({ from }) => from)
  if (lent !== back) fail(`the day before was covered by ${lent || 'nothing'}, and ${back || 'nothing'} was returned`)
}

/** `before`: the books of the day before; undefined on the log's first day. */
export function checkCarryOver(books: Books, before: Books | undefined): string {
  const closings = new Map((before?.accounts ?? []).map(({ account, closing }) => [account, closing]))
  for (const { account, opening } of books.accounts) {
    const expected = closings.get(account) ?? 0
    if (opening !== expected) fail(`${account} opens at ${opening} paise and closed at ${expected} the day before`)
  }
  const names = new Set(books.accounts.map(({ account }) => account))
  for (const [account, closing] of closings) {
    if (closing !== 0 && !names.has(account)) fail(`${account} closed at ${closing} paise the day before and is missing`)
  }
  checkCovers(books, before)
  checkHelpDays(books, before)
  return before === undefined ? 'the first day: every account opens at zero' : `every account opens as it closed on ${before.day}`
}
