/**
 * The help in a day's books (spec/protocol.md, chapter 12): disbursements and corrections with their days, the days with an
 * open share, and platform entries.
 */
import { type BooksAccount, type BooksFile, byText } from '@roz/core/books.ts'
import { hex } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Queryable } from '../../db/sql.ts'
import { type DayOutlay, listOpenHelp, listOutlays } from '../../ledger/day-books.ts'
import { BooksHeldError } from '../../ledger/held-books.ts'

export async function readHelp(from: Queryable, day: IstDay, fund: BooksAccount): Promise<Pick<BooksFile, 'help' | 'house'>> {
  const outlays = await listOutlays(from, day)
  const open = await listOpenHelp(from, day)
  const ofHelp = outlays.filter(({ kind }) => kind === 'disbursement')
  const back = outlays.flatMap((outlay) => (outlay.corrects === null ? [] : [{ corrects: hex(outlay.corrects), ...helpOf(outlay) }]))
  return {
    help: {
      opening: fund.opening,
      in: fund.in,
      disbursements: ofHelp.map(helpOf),
      corrections: back,
      open: open.map((one) => ({ day: one.day, paise: Number(one.open) })),
      closing: fund.closing,
    },
    house: outlays
      .filter(({ kind }) => kind !== 'disbursement' && kind !== 'disbursement_back')
      .map(({ kind, amount, evidence }) => ({ evidence: evidence.map(hex), kind, paise: Number(amount) })),
  }
}

const helpOf = ({ amount, evidence, days, parts }: DayOutlay) => ({
  days: days.map((day, index) => ({ day, paise: Number(parts[index]) })),
  evidence: evidence.map(hex),
  paise: Number(amount),
})

const sum = (entries: readonly { readonly paise: number }[]): number => entries.reduce((total, { paise }) => total + paise, 0)

/** Throws `BooksHeldError` for unsound books. `before`: the books of the day before, if there are any. */
export function expectHelpSound(books: BooksFile, before: BooksFile | undefined): void {
  const { help, house, flows } = books
  const expect = (holds: boolean, what: string): void => {
    if (!holds) throw new BooksHeldError(what)
  }
  const flowed = (kind: string): number => sum(flows.filter((flow) => flow.kind === kind))
  const entries = [...help.disbursements, ...help.corrections]
  for (const { paise, days, evidence } of entries) {
    expect(evidence.length > 0, 'a disbursement has no bill')
    expect(sum(days) === paise, `a disbursement of ${paise} is of days with ${sum(days)}`)
  }
  expect(sum(help.disbursements) === flowed('disbursement'), 'a disbursement has no bill')
  expect(sum(help.corrections) === flowed('disbursement_back'), 'a correction has no bill')
  for (const kind of ['platform_out', 'tds_remitted', 'losses_covered'])
    expect(sum(house.filter((entry) => entry.kind === kind && entry.evidence.length > 0)) === flowed(kind), `${kind} has no bill`)
  expect(sum(help.open) === help.closing, `the open days of help have ${sum(help.open)}, the fund closes at ${help.closing}`)
  // Books of an older version do not name their open days.
  const opened = before === undefined ? [] : (before.help.open as BooksFile['help']['open'] | undefined)
  if (opened === undefined) return
  const left = new Map<string, number>()
  const add = (day: string, paise: number): unknown => left.set(day, (left.get(day) ?? 0) + paise)
  for (const { day, paise } of opened) add(day, paise)
  for (const { round, need } of books.settlements) add(round, need)
  add(books.day, flowed('gift'))
  for (const { days } of help.disbursements) for (const { day, paise } of days) add(day, -paise)
  for (const { days } of help.corrections) for (const { day, paise } of days) add(day, paise)
  const text = (parts: Iterable<readonly [string, number]>): string =>
    [...parts]
      .filter(([, paise]) => paise !== 0)
      .sort(([a], [b]) => byText(a, b))
      .join()
  const found = text(help.open.map(({ day, paise }) => [day, paise] as const))
  expect(text(left) === found, `the open days of help are ${found}, and should be ${text(left)}`)
}
