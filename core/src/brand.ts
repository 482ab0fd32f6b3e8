/** The name of the product in a language. A name that the operator chose is the same in every language. */
import type { Language } from './language.ts'
import { texts } from './texts.ts'

const OURS = texts('Roz')

export const brandIn = (brandName: string, language: Language): string => (brandName === OURS.en ? OURS[language] : brandName)
