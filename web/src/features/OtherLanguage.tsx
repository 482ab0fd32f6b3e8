/** A text of the team in another language than the page: its `lang` for screen readers, and “in English” beside it. */
import { type Language, SPEECH } from '@roz/core/language.ts'

/** `lang` of an element with the text; undefined where it is in the page's language. */
export const langOf = (text: Language | undefined, reader: Language): Language | undefined => (text === reader ? undefined : text)

type Words = { readonly text: string; readonly language: Language | null | undefined; readonly reader: Language }

/** Words of the team inside a sentence; in another language they are marked. */
export function TeamWords({ text, language, reader }: Words) {
  const lang = langOf(language ?? undefined, reader)
  return lang === undefined ? (
    text
  ) : (
    <>
      <span lang={lang}>{text}</span>
      <OtherLanguage text={lang} reader={reader} />
    </>
  )
}

export function OtherLanguage({ text, reader }: { readonly text: Language | undefined; readonly reader: Language }) {
  const lang = langOf(text, reader)
  return lang === undefined ? null : (
    <span className="small muted" lang={lang}>
      {' '}
      ({SPEECH[lang].inIt})
    </span>
  )
}
