/**
 * Tables of texts for field problems.
 * - A schema's message is a key of a table, and may contain one value after a colon: `topup_min:10`.
 * - Each table is beside its rules, so a screen loads only the texts of its own forms.
 */
import type { Language, Texts } from './language.ts'

export type Words = Readonly<Record<string, Texts>>

/** The text of a field problem; undefined if it is no key of this table. */
export function wordsIn(table: Words, problem: string, language: Language): string | undefined {
  const [code = '', number = ''] = problem.split(':')
  return Object.hasOwn(table, code) ? table[code]?.[language].replace('{n}', number) : undefined
}
