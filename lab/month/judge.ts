/**
 * Judges the end of a month: the clearing accounts against the outside world, what is left to do, the audit, both verifiers and the logs.
 * - The outside figures come from the gateway's records and the bank's lines alone.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from '@roz/server/db/sql.ts'
import { describeViolations, runAudit } from '@roz/server/ledger/audit.ts'
import { readBalances } from '@roz/server/ledger/balances.ts'
import { verifyDay } from '@roz/verifier/verify.ts'
import { urlSource } from '@roz/verifier/sources.ts'
import { ROOT } from '../../e2e/harness/program.ts'
import type { Bank } from './bank.ts'
import { explainGateway } from './explain-gateway.ts'
import { type GatewayBooks, openTransfers, type Outside, outsideOf } from './gateway-books.ts'
import type { Secrets } from './leaks.ts'
import type { Goal } from './members-day.ts'
import type { World } from './world.ts'

export type MonthResult = {
  readonly accounts: readonly Account[]
  /** Everything that is not as it must be. */
  readonly findings: readonly string[]
  readonly outside: Outside
  readonly mandates: number
  readonly closedPaise: number
  /** Accounts that were deleted, and payments by hand of what came back to them afterwards. */
  readonly gone: { readonly accounts: number; readonly paid: number }
  readonly verifiedDays: number
  readonly logLines: number
}
/** Paise. `kept`: see `Outside`. Each part of it is a finding that the team closed. */
export type Account = { readonly account: string; readonly ours: number; readonly theirs: number; readonly kept: number }
export const differenceOf = ({ ours, theirs, kept }: Account): number => ours - theirs - kept

const SHOWN_MAX = 10

export async function compareAccounts({ db }: World, books: GatewayBooks, bank: Bank): Promise<Account[]> {
  books.read()
  const { owes, kept, refunding } = outsideOf(books)
  const { GATEWAY, BANK, SUSPENSE, PAYOUTS_PENDING, REFUNDS_PENDING } = await readBalances(db)
  const paying = openTransfers(books).reduce((total, { amountPaise }) => total + amountPaise, 0)
  return [
    { account: 'GATEWAY', ours: Number(-GATEWAY), theirs: owes, kept },
    { account: 'BANK', ours: Number(-BANK), theirs: bank.balance(), kept: 0 },
    { account: 'PAYOUTS_PENDING', ours: Number(PAYOUTS_PENDING), theirs: paying, kept: 0 },
    { account: 'REFUNDS_PENDING', ours: Number(REFUNDS_PENDING), theirs: refunding, kept: 0 },
    { account: 'SUSPENSE', ours: Number(SUSPENSE), theirs: 0, kept: 0 },
  ]
}

/** The work that the portal still lists, in words; empty when everything is done. */
export async function listLeft(world: World): Promise<string[]> {
  const { todo } = (await world.as('owner', 'adminTodo')).output
  const { findings } = (await world.as('owner', 'findings', { query: { limit: '100' } })).output
  const { suspense } = (await world.as('owner', 'suspense', { query: { limit: '100', status: 'open' } })).output
  const { lines } = (await world.as('owner', 'bankLines', { query: { limit: '100', status: 'open' } })).output
  const { check, bankCheck } = (await world.as('owner', 'reconciliation')).output
  const unsettled =
    bankCheck === null
      ? ['no statement of the bank was compared']
      : bankCheck.unsettled === 0
        ? []
        : [`the bank differs: ${JSON.stringify(bankCheck)}`]
  return [
    ...todo.map(({ code, count }) => `to do: ${code}, ${count}`),
    ...findings.map(({ kind, subject, amount, detail }) => `finding ${kind} ${subject} ${amount} ${detail ?? ''}`),
    ...suspense.map(({ id, reason, amount }) => `suspense ${id} ${reason} ${amount}`),
    ...lines.map(({ day, amount }) => `a line of the bank without an entry: ${day} ${amount}`),
    ...(check.isLate ? ['the settlements were not read this morning'] : []),
    ...unsettled,
  ]
}

/** By the findings that were closed, the paise that the gateway kept. */
async function readClosed({ db }: World): Promise<number> {
  const { closed } = await db.one<{ closed: number }>(sql`select coalesce(-sum(difference), 0)::float8 as closed from money_finding
         where closed_at is not null and ended_at is null and kind not in ('failed', 'came_back', 'bank_line', 'bank_missing', 'bank_opening')`)
  return closed
}

const readGone = ({ db }: World): Promise<MonthResult['gone']> =>
  db.one(sql`select (select count(*)::int from member where deleted_at is not null) as accounts,
          (select count(*)::int from transfer where kind = 'suspense_paid') as paid`)

async function auditBooks({ db }: World): Promise<string[]> {
  const text = describeViolations(await runAudit(db))
  return text === '' ? [] : text.split('\n').slice(0, SHOWN_MAX)
}

/** The days that ended and have their books, oldest first. */
async function listPublished({ db }: World): Promise<string[]> {
  const rows = await db.query<{ day: string }>(sql`
    select day::text as day from round join books_day using (day) where status in ('settled', 'void') order by day`)
  return rows.map(({ day }) => day)
}

const SOUND = ['pass', 'weak', 'none']
const PASS = 0
const WEAK = 3
const TWIN = path.join(ROOT, 'spec/verify.py')
const TWIN_MS = 300_000

/** The complaints of both verifiers about a day: the program of verifier/, and its twin in Python that shares no code with it. */
async function verifyPublished({ roz }: World, day: string): Promise<string[]> {
  const base = `${roz.url}/api/public`
  const { steps } = await verifyDay(urlSource(`${base}/`), day)
  const twin = await new Promise<{ readonly code: number; readonly text: string }>((resolve) => {
    execFile('python3', ['-B', TWIN, base, day], { timeout: TWIN_MS, maxBuffer: 8 << 20 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? PASS : typeof error.code === 'number' ? error.code : -1, text: `${stdout}${stderr}` }),
    )
  })
  return [
    ...steps.filter(({ state }) => !SOUND.includes(state)).map(({ step, words }) => `${day} ${step}: ${words}`),
    ...(twin.code === PASS || twin.code === WEAK ? [] : [`${day}, the verifier in Python (${twin.code}): ${twin.text.slice(-500)}`]),
  ]
}

/** Personal data and secrets in the output of the server and in the log of its database. */
function scanLogs({ roz }: World, secrets: Secrets): { readonly lines: number; readonly leaks: readonly string[] } {
  const file = path.join(roz.dataDir, 'postgres', 'postgres.log')
  if (!existsSync(file)) throw new Error(`the log of the database is not at ${file}`)
  // Outside production the start shows how to sign in.
  const printed = roz
    .output()
    .split('\n')
    .filter((line) => !line.startsWith('Administrator '))
  const logs = [printed.join('\n'), readFileSync(file, 'utf8')]
  const leaks = logs.flatMap((log) => secrets.find(log)).map(({ what, line }) => `${what} is in a log: ${line}`)
  return { lines: logs.reduce((count, log) => count + log.split('\n').length, 0), leaks: leaks.slice(0, SHOWN_MAX) }
}

type Judged = {
  readonly world: World
  readonly books: GatewayBooks
  readonly bank: Bank
  readonly secrets: Secrets
  readonly complaints: readonly string[]
  readonly counts: () => Goal
}

export async function judge({ world, books, bank, secrets, complaints, counts }: Judged): Promise<MonthResult> {
  const accounts = await compareAccounts(world, books, bank)
  const outside = outsideOf(books)
  const closedPaise = await readClosed(world)
  const published = await listPublished(world)
  const verified: string[] = []
  for (const day of published) verified.push(...(await verifyPublished(world, day)))
  const { lines, leaks } = scanLogs(world, secrets)
  const kept = closedPaise === outside.kept ? [] : [`the closed findings come to ${closedPaise} paise, the gateway kept ${outside.kept}`]
  const off = accounts.filter((one) => differenceOf(one) !== 0).map(({ account }) => `${account} is not what the outside world has`)
  const explained = off.length === 0 ? [] : await explainGateway(world, books)
  const findings = [
    ...off,
    ...explained,
    ...kept,
    ...(await listLeft(world)),
    ...(await auditBooks(world)),
    ...verified,
    ...leaks,
    ...complaints,
  ]
  return {
    accounts,
    findings,
    outside,
    mandates: counts().mandates,
    closedPaise,
    gone: await readGone(world),
    verifiedDays: published.length,
    logLines: lines,
  }
}
