/**
 * The public words of a payment, a field for each language, side by side.
 * - At least one language has words. `purpose` has the words in the portal's language, if there are any; the others are translations.
 */
import { useLingui } from '@lingui/react/macro'
import { purpose as purposeRule } from '@roz/core/help-fields.ts'
import { inEach, type Language, LANGUAGES, SPEECH } from '@roz/core/language.ts'
import { useState } from 'react'
import { currentLanguage } from '../../../app/language.ts'
import { TextField } from '../../../ui/Field.tsx'
import { typed } from '../portal-form-errors.ts'
import { problemOf, type Problems } from '../problems.ts'

type Purposes = Readonly<Record<Language, string>>
/** The portal's own language first. */
const sides = (): readonly Language[] => [currentLanguage(), ...LANGUAGES.filter((language) => language !== currentLanguage())]
const isWritten = (words: Purposes, language: Language): boolean => words[language].trim() !== ''

export function usePurposes(first = '') {
  const [words, setWords] = useState<Purposes>(() => inEach((language) => (language === currentLanguage() ? first : '')))
  /** The language of `purpose`. */
  const written = sides().find((language) => isWritten(words, language)) ?? currentLanguage()
  const others = LANGUAGES.filter((language) => language !== written && isWritten(words, language))
  /** The field of a language in the call and in its refusal. */
  const fieldOf = (language: Language): string => (language === written ? 'purpose' : `translations.${language}`)
  return {
    words,
    fieldOf,
    set: (language: Language, text: string): void => setWords({ ...words, [language]: text }),
    /** Without what an older server does not know, where it says nothing. */
    body: {
      purpose: words[written].trim(),
      ...(written === 'en' ? {} : { language: written }),
      ...(others.length === 0 ? {} : { translations: Object.fromEntries(others.map((language) => [language, words[language].trim()])) }),
    },
    problems: (): Problems =>
      Object.fromEntries([written, ...others].map((language) => [fieldOf(language), problemOf(purposeRule, words[language])])),
  }
}

type FieldsProps = {
  readonly purposes: ReturnType<typeof usePurposes>
  readonly problems: Problems
  readonly label: string
  readonly hint: string
}

export function PurposeFields({ purposes: { words, fieldOf, set }, problems, label, hint }: FieldsProps) {
  const { t } = useLingui()
  return (
    <div className="grid two">
      {sides().map((language) => {
        const isOwn = language === currentLanguage()
        const { name } = SPEECH[language]
        return (
          <div key={language}>
            <TextField
              lang={language}
              label={isOwn ? label : `${label}: ${name}`}
              hint={isOwn ? hint : t`Empty: readers of this language see the other one, marked as such.`}
              autoComplete="off"
              maxLength={120}
              {...typed(words[language], problems[fieldOf(language)], (text) => set(language, text))}
            />
          </div>
        )
      })}
    </div>
  )
}
