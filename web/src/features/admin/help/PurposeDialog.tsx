/** The dialog that adds the public words of help in the languages that they lack, or changes them. */
import { Trans, useLingui } from '@lingui/react/macro'
import { purpose as purposeRule } from '@roz/core/help-fields.ts'
import { type Language, LANGUAGES, SPEECH } from '@roz/core/language.ts'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { TextField } from '../../../ui/Field.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Decision } from '../Decision.tsx'
import { typed } from '../portal-form-errors.ts'
import { problemOf, useProblems } from '../problems.ts'
import type { Disbursement } from '../queries.ts'

export function PurposeDialog({ entry, onClose }: { readonly entry: Disbursement; readonly onClose: () => void }) {
  const { t } = useLingui()
  const { id, status, seen, purpose, language: written, translations } = entry
  const others = LANGUAGES.filter((language) => language !== written)
  const [words, setWords] = useState<Readonly<Partial<Record<Language, string>>>>(translations ?? {})
  const { problems, judge, refused } = useProblems()
  const textIn = (language: Language): string => (words[language] ?? '').trim()
  const changed = others.filter((language) => textIn(language) !== (translations?.[language] ?? ''))
  return (
    <Decision
      title={<Trans>The words in each language</Trans>}
      confirm={t`Save`}
      unready={changed.length === 0}
      check={() =>
        judge(Object.fromEntries(changed.map((language) => [`translations.${language}`, problemOf(purposeRule, textIn(language))])))
      }
      send={(_, idempotencyKey) =>
        call('translateDisbursement', {
          params: { id },
          body: { status, seen, translations: Object.fromEntries(changed.map((language) => [language, textIn(language)])) },
          idempotencyKey,
        }).catch(refused)
      }
      onDone={() => toast.success(t`Saved.`)}
      onClose={onClose}
    >
      <p className="spaced">
        {SPEECH[written].name}: <span lang={written}>{purpose}</span>
      </p>
      {others.map((language) => (
        <TextField
          key={language}
          lang={language}
          label={SPEECH[language].name}
          hint={t`Everybody reads these words. Leave the name out.`}
          autoComplete="off"
          maxLength={120}
          {...typed(words[language] ?? '', problems[`translations.${language}`], (text) => setWords({ ...words, [language]: text }))}
        />
      ))}
    </Decision>
  )
}
