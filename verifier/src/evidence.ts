/**
 * Finds a receipt that is the evidence of disbursements on two days (spec/protocol.md, chapter 12).
 *
 * - The check of one day compares only two days' books. A monitor reads the books of all days, each once.
 */
import { MalformedError, toHex } from './bytes.ts'
import { type Books, booksShape } from './books.ts'
import { readCanonical } from './canonical.ts'
import { type Entry, ofKind } from './log.ts'
import { sha256 } from './sha256.ts'
import { readFile, type Source, UnavailableError } from './sources.ts'

/** Returns new findings in the books up to a day. Books that cannot be read are read at the next call. */
export type EvidenceOfAllDays = (entries: readonly Entry[], day: string) => Promise<readonly string[]>

export function evidenceOfAllDays(source: Source): EvidenceOfAllDays {
  const shownOn = new Map<string, string>()
  const read = new Set<string>()
  return async (entries, upTo) => {
    const wrong: string[] = []
    for (const { record } of ofKind(entries, 'books')) {
      const books = record.day > upTo || read.has(record.day) ? undefined : await loggedBooks(source, record)
      if (books === undefined) continue
      read.add(record.day)
      for (const { evidence } of books.help.disbursements) {
        const before = shownOn.get(evidence)
        if (before !== undefined && before !== record.day)
          wrong.push(`the receipt ${evidence} is the evidence of disbursements of ${before} and of ${record.day}`)
        shownOn.set(evidence, before ?? record.day)
      }
    }
    return wrong
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
