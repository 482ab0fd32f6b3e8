/**
 * A text of core or server in every language, found by its English.
 * - A text that a language has no words for stops the program that says it, and the web's build; `npm run messages` lists them all.
 */
import { SOURCE, catalogueOf } from './catalogues.ts'
import { inEach, type Texts } from './language.ts'

export function texts<const T extends string>(english: T): Texts & { readonly en: T } {
  const words = inEach((language) => {
    const said = language === SOURCE ? english : catalogueOf(language).get(english)
    if (said === undefined || said === '')
      throw new Error(
        `${language}: no words for ${JSON.stringify(english)}. Run npm run messages, then fill the files of locales/${language}/`,
      )
    return said
  })
  return { ...words, en: english }
}
