/**
 * Finds faults across days of books (spec/protocol.md, chapter 12): a receipt used on two days, and a correction that
 * exceeds its disbursement or has none, and debts paid without a loss.
 *
 * - The check of one day compares only two days' books. A monitor reads the books of all days, each once.
 */
import { MalformedError, toHex } from './bytes.ts'
import { type Books, booksShape } from './books.ts'
import { readCanonical } from './canonical.ts'
import { receiptsOf } from './help.ts'
import { type Entry, ofKind } from './log.ts'
import { sha256 } from './sha256.ts'
import { readFile, type Source, UnavailableError } from './sources.ts'

/** Returns new findings in the books up to a day. Books that cannot be read are read at the next call. */
export type EvidenceOfAllDays = (entries: readonly Entry[], day: string) => Promise<readonly string[]>

export function evidenceOfAllDays(source: Source): EvidenceOfAllDays {
  const shownOn = new Map<string, string>()
  const read = new Set<string>()
  const corrections = correctionsOfAllDays()
  const losses = lossesOfAllDays()
  return async (entries, upTo) => {
    const wrong: string[] = []
    let isWhole = true
    for (const { record } of ofKind(entries, 'books')) {
      const books = record.day > upTo || read.has(record.day) ? undefined : await loggedBooks(source, record)
      isWhole &&= books !== undefined || read.has(record.day) || record.day > upTo
      if (books === undefined) continue
      read.add(record.day)
      for (const receipt of receiptsOf(books)) {
        const before = shownOn.get(receipt)
        if (before !== undefined && before !== record.day)
          wrong.push(`the receipt ${receipt} is the evidence of entries of ${before} and of ${record.day}`)
        shownOn.set(receipt, before ?? record.day)
      }
      corrections.add(books)
      losses.add(books)
    }
    // A correction is judged when the books of every day before it are read.
    return isWhole ? [...wrong, ...corrections.judge(), ...losses.judge()] : wrong
  }
}

/** LOSSES closes above zero only by what the platform had covered and somebody paid later. */
function lossesOfAllDays() {
  let unjudged: Books[] = []
  let covered = 0
  return {
    add: (books: Books): void => void unjudged.push(books),
    judge(): string[] {
      const inOrder = unjudged.toSorted((a, b) => (a.day < b.day ? -1 : 1))
      unjudged = []
      return inOrder.flatMap(({ day, flows, accounts }) => {
        for (const { kind, paise } of flows) if (kind === 'losses_covered') covered += paise
        const beyond = (accounts.find(({ account }) => account === 'LOSSES')?.closing ?? 0) - covered
        return beyond > 0 ? [`by ${day} ${beyond} paise of debts were paid beyond all losses there ever were`] : []
      })
    },
  }
}

function correctionsOfAllDays() {
  /** The part of each day in each disbursement, by receipt. */
  const left = new Map<string, Map<string, number>>()
  let unjudged: { readonly day: string; readonly correction: Books['help']['corrections'][number] }[] = []
  return {
    add({ day, help }: Books): void {
      for (const { evidence, days } of help.disbursements) {
        const parts = new Map(days.map((part) => [part.day, part.paise]))
        for (const receipt of evidence) left.set(receipt, parts)
      }
      unjudged.push(...help.corrections.map((correction) => ({ day, correction })))
    },
    judge(): string[] {
      const judged = unjudged
      unjudged = []
      return judged.flatMap(({ day, correction: { corrects, days } }) => {
        const parts = left.get(corrects)
        if (parts === undefined) return [`a correction of ${day} is of the receipt ${corrects}, which is the evidence of no disbursement`]
        for (const part of days) parts.set(part.day, (parts.get(part.day) ?? 0) - part.paise)
        const isMore = [...parts.values()].some((paise) => paise < 0)
        return isMore ? [`a correction of ${day} returns more to a day than the disbursement with the receipt ${corrects} took`] : []
      })
    },
  }
}

/** Undefined if the books are missing or do not match the log: the check of their day reports that. */
async function loggedBooks(
  source: Source,
  { day, books: hash }: { readonly day: string; readonly books: string },
): Promise<Books | undefined> {
  const path = `books/${day}`
  try {
    const bytes = await readFile(source, path)
    return bytes === undefined || toHex(sha256(bytes)) !== hash ? undefined : readCanonical(bytes, booksShape, path)
  } catch (error) {
    if (error instanceof UnavailableError || error instanceof MalformedError) return undefined
    throw error
  }
}
