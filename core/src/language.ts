/** The languages of the product. A new one is a line here, a catalogue and a folder of long texts. */
export const LANGUAGES = ['en', 'hi'] as const
export type Language = (typeof LANGUAGES)[number]
/** One text in every language; a missing one does not compile. */
export type Texts = Readonly<Record<Language, string>>

/** The language of an `Accept-Language` header; English where it names none of ours. */
export function languageOf(header: string | undefined): Language {
  for (const part of (header ?? '').split(',')) {
    const tag = part.split(';')[0]?.trim().toLowerCase().split('-')[0]
    const found = LANGUAGES.find((language) => language === tag)
    if (found !== undefined) return found
  }
  return 'en'
}
