/** The public words of a payment, as the team sees them. */
import { LANGUAGES, SPEECH } from '@roz/core/language.ts'
import { purposeFor, type WrittenPurpose } from '@roz/core/purpose-words.ts'
import { currentLanguage } from '../../../app/language.ts'
import { TeamWords } from '../../OtherLanguage.tsx'

type PurposeProps = { readonly entry: WrittenPurpose }

export function Purpose({ entry }: PurposeProps) {
  const reader = currentLanguage()
  const { purpose, language } = purposeFor(entry, reader)
  return <TeamWords text={purpose} language={language} reader={reader} />
}

/** The same words in the languages that `Purpose` does not show: who approves a payment approves them too. */
export function OtherPurposes({ entry }: PurposeProps) {
  const shown = purposeFor(entry, currentLanguage()).language
  const others = LANGUAGES.flatMap((language) => {
    const told = purposeFor(entry, language)
    return language === shown || told.language !== language ? [] : [{ language, purpose: told.purpose }]
  })
  return others.map(({ language, purpose }) => (
    <p key={language}>
      <span lang={language}>
        {SPEECH[language].name}: {purpose}
      </span>
    </p>
  ))
}
