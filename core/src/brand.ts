/** The name of the product as a language writes it. A name that the operator chose is theirs, in every language. */
import type { Language } from './language.ts'
import { texts } from './texts.ts'

const OURS = texts('Roz')

export const brandIn = (brandName: string, language: Language): string => (brandName === OURS.en ? OURS[language] : brandName)
