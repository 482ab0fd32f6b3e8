/** Parses Cashfree's answer about a UPI ID. The name at the bank, its account and IFSC are not read. */
import { z } from 'zod'
import { words } from '../cashfree/fields.ts'
import type { KnownResult, NameAnswer } from './port.ts'

export const wireNameCheck = z.object({
  verification_id: z.string().min(1),
  vpa: z.string().min(1),
  status: z.string().min(1),
  name_match_result: words,
})

/** Good matches lack an initial or a middle name. With less than that a person looks. */
const RESULTS: ReadonlyMap<string, KnownResult> = new Map([
  ['MATCH', 'match'],
  ['DIRECT_MATCH', 'match'],
  ['GOOD_PARTIAL_MATCH', 'match'],
  ['MODERATE_PARTIAL_MATCH', 'no_match'],
  ['POOR_PARTIAL_MATCH', 'no_match'],
  ['NO_MATCH', 'no_match'],
])
/** The documents have both words for a check that was made. */
const MADE: ReadonlySet<string> = new Set(['VALID', 'SUCCESS'])

export function readNameCheck({ status, name_match_result: word }: z.output<typeof wireNameCheck>): NameAnswer {
  if (status === 'INVALID') return { result: 'no_such_id' }
  const result = MADE.has(status) ? RESULTS.get(word ?? '') : undefined
  return result === undefined ? { result: 'unknown', said: `status ${shown(status)}, result ${shown(word)}` } : { result }
}

/** A text that is no word of the gateway's kind could be a name: only its length is told. */
const shown = (word: string | undefined): string =>
  word === undefined ? 'none' : /^[A-Z]+(?:_[A-Z]+)*$/.test(word) && word.length <= 40 ? word : `a text of ${word.length} characters`
