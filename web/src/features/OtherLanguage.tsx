/** A text of the team in another language than the page: its `lang` for screen readers, and “in English” beside it. */
import { type Language, SPEECH } from '@roz/core/language.ts'

/** `lang` of an element with the text; undefined where it is in the page's language. */
export const langOf = (text: Language | undefined, reader: Language): Language | undefined => (text === reader ? undefined : text)

export function OtherLanguage({ text, reader }: { readonly text: Language | undefined; readonly reader: Language }) {
  const lang = langOf(text, reader)
  return lang === undefined ? null : (
    <span className="small muted" lang={lang}>
      {' '}
      ({SPEECH[lang].inIt})
    </span>
  )
}
