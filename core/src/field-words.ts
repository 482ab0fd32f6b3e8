/**
 * What a field's rule says. A schema's message is a key of such a table, turned into words at the edge;
 * it may carry one number after a colon: `topup_min:10`. Each table lies beside its rules, so that a
 * screen loads the words of its own forms alone.
 */
import type { Language, Texts } from './language.ts'

export type Words = Readonly<Record<string, Texts>>

/** The words for a field problem; undefined when it is no key of this table. */
export function wordsIn(table: Words, problem: string, language: Language): string | undefined {
  const [code = '', number = ''] = problem.split(':')
  return Object.hasOwn(table, code) ? table[code]?.[language].replace('{n}', number) : undefined
}
