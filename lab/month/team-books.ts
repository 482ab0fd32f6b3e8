/** The team's work on gateway and bank: it records settlements, imports the statement, matches its lines and closes findings. */
import { randomUUID } from 'node:crypto'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { STATEMENT_PRESETS } from '@roz/core/statement-presets.ts'
import type { Dice } from '../faults/random.ts'
import type { Bank } from './bank.ts'
import { type Deciding, readList } from './deciding.ts'
import type { World } from './world.ts'

/** Findings that no entry of ours will ever explain, and the days after which somebody has asked the gateway or the bank. */
const CLOSED_AFTER: ReadonlyMap<string, number> = new Map([
  ['adjustment', 2],
  ['sums', 2],
  ['other_amount', 2],
  ['failed', 2],
  ['bank_line', 2],
  // A strange answer once named other ids: the entry is missing, and the event is unknown.
  ['unknown_payment', 6],
  ['unknown_refund', 6],
  ['unknown_dispute', 6],
  ['missing', 6],
])

const NEVER = 1000

export function createBooksDesk({ as }: World, { isTaken, key }: Deciding, { bank, dice }: { readonly bank: Bank; readonly dice: Dice }) {
  const accountId = randomUUID()
  let accountMade = false
  let importedUntil: IstDay | undefined

  async function recordSettlements(): Promise<void> {
    const settlements = await readList(async (query) => {
      const { output } = await as('finance', 'gatewaySettlements', { query: { ...query, status: 'to_record' } })
      return [output.settlements, output.nextCursor]
    })
    // Oldest first: what the gateway owes reaches for each.
    for (const { id } of settlements.toReversed()) {
      // Recording one may change what is to be recorded for the next.
      const { amount, fee } = (await as('finance', 'gatewaySettlement', { params: { id } })).output.settlement
      const asked = await as('finance', 'recordSettlement', { ...key(), params: { id }, body: { amount, fee } })
      if (!isTaken(`settlement ${id}`, asked)) continue
      const { entry } = asked.output
      if (entry.status !== 'requested') continue
      const body = { status: entry.status, seen: entry.seen }
      isTaken(`settlement ${id}`, await as('owner', 'approveHouseEntry', { ...key(), params: { id: entry.id }, body }))
    }
  }

  async function importStatement(today: IstDay): Promise<void> {
    const until = addDays(today, -1)
    // The days before are in the file again, as people download them.
    const text = bank.statement(addDays(importedUntil ?? addDays(today, -60), -2), until, dice.chance(0.5) ? 'oldest' : 'newest')
    if (text === undefined) return
    const params = { id: accountId }
    if (!accountMade) {
      const body = { name: 'Current account', lastFour: '8901', mapping: STATEMENT_PRESETS.HDFC }
      accountMade = isTaken('the bank account', await as('finance', 'saveBankAccount', { params, body }))
    }
    const form = (): FormData => {
      const made = new FormData()
      made.set('file', new Blob([text], { type: 'text/csv' }), 'statement.csv')
      return made
    }
    const preview = await as('finance', 'previewStatement', { params, form: form() })
    if (!isTaken('the preview of a statement', preview)) return
    const imported = await as('finance', 'importStatement', { params, query: { seen: preview.output.seen, until }, form: form() })
    if (isTaken('the import of a statement', imported)) importedUntil = until
  }

  /** Lines that need a person: the entry with the line's own amount that lies nearest. */
  async function matchLines(): Promise<void> {
    const lines = await readList(async (query) => {
      const { output } = await as('finance', 'bankLines', { query: { ...query, status: 'open' } })
      return [output.lines, output.nextCursor]
    })
    for (const { id, status } of lines) {
      const { candidates } = (await as('finance', 'bankLine', { params: { id } })).output
      const nearest = candidates.find(({ hasReference, reference }) => hasReference || reference === null)
      if (nearest === undefined) continue
      isTaken(`line ${id}`, await as('finance', 'matchBankLine', { params: { id }, body: { status, subject: nearest.subject } }))
    }
  }

  async function closeFindings(today: IstDay): Promise<void> {
    const findings = await readList(async (query) => {
      const { output } = await as('finance', 'findings', { query })
      return [output.findings, output.nextCursor]
    })
    const old = findings.filter(({ kind, foundAt }) => foundAt.slice(0, 10) < addDays(today, -(CLOSED_AFTER.get(kind) ?? NEVER)))
    for (const { id, kind, seen } of old) {
      const close = (person: 'finance' | 'owner', status: 'open' | 'awaiting_second') =>
        as(person, 'closeFinding', { ...key(), params: { id }, body: { status, seen, reason: `${kind}: by the mail of the gateway` } })
      const answer = await close('finance', 'open')
      if (isTaken(`finding ${id} (${kind})`, answer) && answer.output.finding.status === 'awaiting_second')
        isTaken(`finding ${id} (${kind})`, await close('owner', 'awaiting_second'))
    }
  }

  return { recordSettlements, importStatement, matchLines, closeFindings }
}
