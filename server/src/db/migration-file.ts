/**
 * Parses the directives in the comments at the start of a migration:
 * - `-- contracts after 1.1.0`: release 1.1.0 was the first that no longer used what this file removes or tightens.
 * - `-- outside a transaction`: its statements run one by one, for an index that is made concurrently. A repeated run must do no harm.
 * - `-- brief: …`: why a lock that it takes is short, for example because the table has few rows.
 */

const CONTRACTS = /^-- contracts after (\d+\.\d+\.\d+)\s*$/m
const OUTSIDE = /^-- outside a transaction\s*$/m
const BRIEF = /^-- brief: \S.*$/m

/** Only the comments before the first statement count. */
const head = (text: string): string => /^(?:\s*--[^\n]*\n?|\s)*/.exec(text)?.[0] ?? ''

/** The oldest release that works with the schema after this file; undefined if every earlier one does. */
export const contractsAfter = (text: string): string | undefined => CONTRACTS.exec(head(text))?.[1]
export const isOutsideTransaction = (text: string): boolean => OUTSIDE.test(head(text))
export const isBrief = (text: string): boolean => BRIEF.test(head(text))

/** Splits a file without function bodies into statements. */
export const statementsOf = (text: string): string[] =>
  text
    .replace(/--[^\n]*/g, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')

/** Compares versions by their three numbers. */
export function isOlder(version: string, than: string): boolean {
  const numbers = (text: string): number[] => text.split('.').map(Number)
  const [ours, theirs] = [numbers(version), numbers(than)]
  const at = [0, 1, 2].find((place) => ours[place] !== theirs[place])
  return at !== undefined && (ours[at] ?? 0) < (theirs[at] ?? 0)
}
