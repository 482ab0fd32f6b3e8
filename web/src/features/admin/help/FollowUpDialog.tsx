/** The dialogs of a follow-up: what the person says and shows now, and one that must not stay public. */
import { Trans, useLingui } from '@lingui/react/macro'
import { EDITORS } from '@roz/contract/roles.ts'
import { followUpWords } from '@roz/core/follow-up-fields.ts'
import { publicName } from '@roz/core/help-fields.ts'
import { type Language, LANGUAGES, SPEECH } from '@roz/core/language.ts'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { FieldError, SelectField, TextAreaField, TextField } from '../../../ui/Field.tsx'
import { Modal } from '../../../ui/Modal.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Decision } from '../Decision.tsx'
import { BillPages, CoverNext, useBillPages } from '../outlays/BillPages.tsx'
import { StoredPicture } from '../outlays/StoredPicture.tsx'
import { portalError, typed } from '../portal-form-errors.ts'
import { problemOf, useProblems } from '../problems.ts'
import type { Disbursement } from '../queries.ts'
import { useMay } from '../use-may.ts'
import { Options } from '../Options.tsx'

type DialogProps = { readonly entry: Disbursement; readonly onClose: () => void }

type Said = {
  readonly language: Language
  readonly words: string
  readonly retoldBy?: string
  readonly translation?: { readonly language: Language; readonly words: string }
  readonly picture?: { readonly hash: string; readonly agreed: true }
}
type FollowUpProps<T> = {
  readonly send: (said: Said) => Promise<T>
  readonly upload: (picture: Blob) => Promise<{ readonly hash: string }>
  readonly onDone?: (answer: T) => void
  readonly onClose: () => void
}

export const PaymentFollowUp = ({ entry, onClose }: DialogProps) => (
  <FollowUpDialog
    send={(said) => call('recordFollowUp', { params: { id: entry.id }, body: said })}
    upload={(upload) => call('uploadFollowUpPicture', { params: { id: entry.id }, upload })}
    onClose={onClose}
  />
)

export function FollowUpDialog<T>({ send: sendSaid, upload, onDone, onClose }: FollowUpProps<T>) {
  const { t } = useLingui()
  const [language, setLanguage] = useState<Language>(currentLanguage())
  const [words, setWords] = useState('')
  const [retoldBy, setRetoldBy] = useState('')
  const [translation, setTranslation] = useState('')
  const pages = useBillPages(1, upload)
  const hash = pages.hashes[0]
  /** The picture that the person agreed to. */
  const [agreed, setAgreed] = useState<string>()
  const { problems, judge, refused } = useProblems()
  const other = LANGUAGES.find((each) => each !== language) ?? language
  const check = (): boolean =>
    judge({
      words: problemOf(followUpWords, words),
      translation: translation === '' ? undefined : problemOf(followUpWords, translation),
      retoldBy: retoldBy === '' ? undefined : problemOf(publicName, retoldBy),
      picture: hash === undefined || agreed === hash ? undefined : 'picture_agreed',
    })
  const send = () =>
    sendSaid({
      language,
      words,
      ...(retoldBy === '' ? {} : { retoldBy }),
      ...(translation === '' ? {} : { translation: { language: other, words: translation } }),
      ...(hash === undefined ? {} : { picture: { hash, agreed: true } }),
    }).catch(refused)
  return (
    <>
      <Decision
        title={<Trans>What does the person say now?</Trans>}
        confirm={t`Publish with the story`}
        check={check}
        send={send}
        onDone={onDone ?? (() => toast.success(t`Recorded.`))}
        onClose={onClose}
      >
        <p className="spaced">{t`Write what the person says, good or bad. Only personal data is left out.`}</p>
        <SelectField label={t`Language of the words`} value={language} onChange={(event) => setLanguage(event.target.value as Language)}>
          <Options values={LANGUAGES} nameOf={(each) => SPEECH[each].name} />
        </SelectField>
        <TextAreaField label={t`Their words`} {...typed(words, problems.words, setWords)} />
        <TextField
          label={t`Retold by`}
          hint={t`First name only. Leave it empty if the words are word for word.`}
          autoComplete="off"
          maxLength={60}
          {...typed(retoldBy, problems.retoldBy, setRetoldBy)}
        />
        <TextAreaField
          label={t`Translation`}
          hint={`${SPEECH[other].name}. ${t`It is marked as a translation. It may stay empty.`}`}
          {...typed(translation, problems.translation, setTranslation)}
        />
        <BillPages pages={pages} error={undefined} of="picture" />
        {hash === undefined ? null : (
          <label className="pick">
            <input type="checkbox" checked={agreed === hash} onChange={(event) => setAgreed(event.target.checked ? hash : undefined)} />
            {t`The person has seen this picture and agrees that everybody can see it. For a child, the guardian agrees.`}
          </label>
        )}
        {hash === undefined || agreed === hash || problems.picture === undefined ? null : (
          <FieldError>{portalError(problems.picture)}</FieldError>
        )}
      </Decision>
      <CoverNext pages={pages} of="picture" />
    </>
  )
}

/** All that was told, and the way to withhold one. */
export function ToldDialog({ entry, onClose }: DialogProps) {
  const { t } = useLingui()
  const mayWithhold = useMay(EDITORS)
  const [chosen, setChosen] = useState<string>()
  if (chosen !== undefined)
    return (
      <Decision
        title={<Trans>Withhold these words?</Trans>}
        confirm={t`Withhold`}
        danger
        reason={t`Only personal data is a reason. The staff log keeps it.`}
        send={(reason) => call('withholdFollowUp', { params: { id: chosen }, body: { reason } })}
        onDone={() => toast.success(t`Withheld.`)}
        onClose={onClose}
      >
        <p className="spaced">
          <Trans>Nobody sees them any more, a picture is deleted, and this cannot be undone. A bad answer is no reason.</Trans>
        </p>
      </Decision>
    )
  return (
    <Modal open onClose={onClose} title={<Trans>What the person said</Trans>}>
      <ul className="ledger">
        {entry.followUps.map(({ id, weeks, words, language, withheld, hasPicture }) => (
          <li key={id}>
            <span>
              <span className="small muted block">{t`After ${weeks} weeks`}</span>
              <span className="pre-line block" lang={language}>
                {words}
              </span>
              {withheld === null ? null : <span className="small warning-line block">{t`Withheld: ${withheld}`}</span>}
              {hasPicture ? (
                <span className="bill-view one">
                  <StoredPicture
                    name={['follow-up', id]}
                    read={(signal) => call('followUpPictureForTeam', { params: { id }, signal })}
                    label={t`Picture after ${weeks} weeks`}
                    failed={t`The picture could not be loaded.`}
                  />
                </span>
              ) : null}
            </span>
            {mayWithhold && withheld === null ? (
              <span className="amount">
                <Button kind="quiet" aria-label={t`Withhold: after ${weeks} weeks`} onClick={() => setChosen(id)}>{t`Withhold`}</Button>
              </span>
            ) : null}
          </li>
        ))}
      </ul>
    </Modal>
  )
}
