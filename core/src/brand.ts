/** The name of the product as a language writes it. A name that the operator chose is theirs, in every language. */
import type { Language } from './language.ts'

const OURS = { en: 'Roz', hi: 'रोज़' } as const satisfies Record<Language, string>

export const brandIn = (brandName: string, language: Language): string => (brandName === OURS.en ? OURS[language] : brandName)
