/** The purpose of a payment by decision in each language: the words as they were written, and their translations. */
import type { Language, StoredTexts } from './language.ts'

export type WrittenPurpose = {
  readonly purpose: string
  /** The language of `purpose`; missing in an answer of an older server, null without a record. */
  readonly language?: Language | null
  readonly translations?: StoredTexts
}

/** The words for a reader: their language's, otherwise as they were written; and the language of these words. */
export function purposeFor({ purpose, language, translations }: WrittenPurpose, reader: Language) {
  const own = translations?.[reader]
  return own === undefined ? { purpose, language: language ?? null } : { purpose: own, language: reader }
}
