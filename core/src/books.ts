/** The file of a day's books (spec/protocol.md, chapter 12) and its canonical bytes. Amounts are paise. */
import { canonicalJson } from './draw-records.ts'
import type { IstDay } from './ist-day.ts'

export type BooksFile = {
  readonly v: 1
  readonly day: IstDay
  readonly intake: { readonly count: number; readonly paise: number }
  readonly settlements: readonly BooksSettlement[]
  readonly returns: readonly { readonly round: IstDay; readonly paise: number }[]
  readonly help: {
    readonly opening: number
    readonly in: number
    readonly disbursements: readonly BooksHelp[]
    /** Money of disbursements that came back; `corrects` is the first bill of the disbursement. */
    readonly corrections: readonly (BooksHelp & { readonly corrects: string })[]
    /** The days with an open share at the day's end. */
    readonly open: readonly BooksPart[]
    readonly closing: number
  }
  readonly house: readonly BooksEntry[]
  readonly flows: readonly BooksFlow[]
  readonly accounts: readonly BooksAccount[]
  readonly liabilities: { readonly count: number; readonly root: string; readonly total: number }
}
export type BooksSettlement = {
  readonly round: IstDay
  readonly need: number
  readonly platform: number
  readonly winners: readonly { readonly amount: number; readonly tax: number; readonly ticket: string }[]
}
type BooksPart = { readonly day: IstDay; readonly paise: number }
type BooksHelp = { readonly days: readonly BooksPart[]; readonly evidence: readonly string[]; readonly paise: number }
/** Outlays from the platform's share or the withheld tax. */
type BooksEntry = { readonly evidence: readonly string[]; readonly kind: string; readonly paise: number }
export type BooksFlow = { readonly kind: string; readonly from: string; readonly to: string; readonly paise: number }
export type BooksAccount = {
  readonly account: string
  readonly opening: number
  readonly in: number
  readonly out: number
  readonly closing: number
}

export const booksBytes = (books: BooksFile): Uint8Array => new TextEncoder().encode(canonicalJson(books, Number.MIN_SAFE_INTEGER))

/** Compares texts byte by byte, as the protocol does; all texts are ASCII. */
export const byText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)
