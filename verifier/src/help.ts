/**
 * Checks help and platform entries in the books (spec/protocol.md, chapter 12): each disbursed paisa is
 * the share of a day. No share is given twice or exceeded, the oldest day gives first, and each receipt proves one entry.
 */
import { MalformedError } from './bytes.ts'
import { assertAscending, balance, day as dayShape, hash, list, record, text, whole } from './canonical.ts'
import { fail } from './steps.ts'
import { flowed, sum } from './sums.ts'

const HOUSE = ['losses_covered', 'platform_out', 'tds_remitted']
const partsShape = list(record({ day: dayShape, paise: whole }))
export const helpShape = record({
  closing: balance,
  corrections: list(record({ corrects: hash, days: partsShape, evidence: list(hash), paise: whole })),
  disbursements: list(record({ days: partsShape, evidence: list(hash), paise: whole })),
  in: whole,
  open: partsShape,
  opening: balance,
})
export const houseShape = list(record({ evidence: list(hash), kind: text, paise: whole }))

/** The part of a day's books about help. */
type Books = {
  readonly day: string
  readonly help: ReturnType<typeof helpShape>
  readonly house: ReturnType<typeof houseShape>
  readonly settlements: readonly { readonly round: string; readonly need: number }[]
  readonly flows: readonly { readonly kind: string; readonly paise: number }[]
}
type Entry = { readonly evidence: readonly string[]; readonly paise: number }
type Part = Books['help']['open'][number]

/** Checks the order of entries, receipts and days: part of the books' form. */
export function assertHelpOrder({ help, house }: Books, where: string): void {
  const padded = (paise: number): string => String(paise).padStart(16, '0')
  const days = (parts: readonly Part[]): string[] => parts.map(({ day }) => day)
  for (const entries of [help.disbursements, help.corrections, house] satisfies readonly (readonly Entry[])[]) {
    const keys = entries.map(({ evidence, paise }) => `${evidence.join()}\n${padded(paise)}`)
    if (keys.some((key, index) => index > 0 && key < (keys[index - 1] as string))) throw new MalformedError(`${where}.help is not in order`)
    for (const { evidence } of entries) assertAscending(evidence, `${where}: the evidence of an entry`)
  }
  for (const entry of [...help.disbursements, ...help.corrections]) assertAscending(days(entry.days), `${where}: the days of an entry`)
  assertAscending(days(help.open), `${where}.help.open`)
}

export const entriesOf = ({ help, house }: Books): readonly Entry[] => [...help.disbursements, ...help.corrections, ...house]
export const receiptsOf = (books: Books): readonly string[] => entriesOf(books).flatMap(({ evidence }) => evidence)

/** Checks the entries of one day by themselves. */
export function checkHelp(books: Books): void {
  const { help, house, flows } = books
  for (const { evidence, paise } of entriesOf(books)) if (evidence.length === 0 || paise === 0) fail('an entry has 0 paise or no evidence')
  for (const { days, paise } of [...help.disbursements, ...help.corrections])
    if (days.some((part) => part.paise === 0) || sum(days.map((part) => part.paise)) !== paise)
      fail(`an entry of ${paise} paise is not what its days add up to`)
  const stray = house.find(({ kind }) => !HOUSE.includes(kind))
  if (stray !== undefined) fail(`an entry ${stray.kind} of the house is of an unknown kind`)
  const told: readonly (readonly [string, readonly Entry[]])[] = [
    ['disbursement', help.disbursements],
    ['disbursement_back', help.corrections],
    ...HOUSE.map((kind) => [kind, house.filter((entry) => entry.kind === kind)] as const),
  ]
  for (const [kind, entries] of told) {
    const paise = sum(entries.map((entry) => entry.paise))
    if (paise !== flowed(flows, kind)) fail(`the entries ${kind} add up to ${paise} paise, the flow says otherwise`)
  }
  const receipts = receiptsOf(books).toSorted()
  const twice = receipts.find((receipt, index) => receipt === receipts[index - 1])
  if (twice !== undefined) fail(`one receipt, ${twice.slice(0, 12)}…, is the evidence of two entries`)
  const open = sum(help.open.map(({ paise }) => paise))
  if (open !== help.closing) fail(`the open days of help have ${open} paise, the fund closes at ${help.closing}`)
}

type Days = Map<string, number>
function add(days: Days, parts: readonly Part[], sign = 1): void {
  for (const { day, paise } of parts) days.set(day, (days.get(day) ?? 0) + sign * paise)
}
/** The income of the fund, by the day whose share it is. */
function cameIn({ day, help, settlements, flows }: Books): Part[] {
  const needs = settlements.map(({ round, need }) => ({ day: round, paise: need }))
  return [...needs, { day, paise: flowed(flows, 'gift') }, ...help.corrections.flatMap(({ days }) => days)]
}
const given = ({ help }: Books): Part[] => help.disbursements.flatMap(({ days }) => days)

/** Checks two neighbouring days. `before`: the books of the day before; undefined on the log's first day. */
export function checkHelpDays(books: Books, before: Books | undefined): void {
  const shown = new Set(before === undefined ? [] : receiptsOf(before))
  const again = receiptsOf(books).find((receipt) => shown.has(receipt))
  if (again !== undefined) fail(`the receipt ${again.slice(0, 12)}… was the evidence of an entry of the day before`)
  const left: Days = new Map()
  add(left, before?.help.open ?? [])
  add(left, cameIn(books))
  add(left, given(books), -1)
  const open = new Map(books.help.open.map(({ day, paise }) => [day, paise]))
  for (const day of new Set([...left.keys(), ...open.keys()]))
    if ((left.get(day) ?? 0) !== (open.get(day) ?? 0))
      fail(`the share of ${day} has ${left.get(day) ?? 0} paise left, the books say ${open.get(day) ?? 0}`)
  if (before !== undefined) checkOldestFirst(books, before)
  checkCorrections([...(before === undefined ? [] : [before]), books])
}

/** Shares open since before yesterday are given first. Yesterday's income is left out, because books contain no hours. */
function checkOldestFirst(books: Books, before: Books): void {
  const kept: Days = new Map()
  add(kept, before.help.open)
  add(kept, cameIn(before), -1)
  add(kept, given(books), -1)
  const newest = given(books).reduce((last, { day }) => (day > last ? day : last), '')
  for (const [day, paise] of kept)
    if (paise > 0 && day < newest) fail(`the share of ${newest} was given while ${day} had ${paise} paise open`)
}

/** Checks that a disbursement of these days got back no more of each day than the day gave. */
function checkCorrections(all: readonly Books[]): void {
  const originals = new Map<string, Days>()
  for (const { help } of all)
    for (const { evidence, days } of help.disbursements) {
      const left: Days = new Map()
      add(left, days)
      for (const receipt of evidence) originals.set(receipt, left)
    }
  for (const { help } of all)
    for (const { corrects, days } of help.corrections) {
      const left = originals.get(corrects)
      if (left === undefined) continue
      add(left, days, -1)
      if ([...left.values()].some((paise) => paise < 0))
        fail(`a correction returns more to a day than the disbursement ${corrects.slice(0, 12)}… took`)
    }
}
