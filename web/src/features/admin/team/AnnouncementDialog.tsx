/** The form of an announcement, with a preview in every language. Times are India time. */
import { Trans, useLingui } from '@lingui/react/macro'
import { ANNOUNCEMENT_MAX, announcementLink, announcementText } from '@roz/core/announcement-fields.ts'
import { inEach, type Language, LANGUAGES, SPEECH } from '@roz/core/language.ts'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { TextAreaField, TextField } from '../../../ui/Field.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { serverNowMs } from '../../clock.ts'
import { Decision } from '../Decision.tsx'
import { fromIndia, inIndia } from '../india-time.ts'
import type { Announcement } from '../queries.ts'
import { typed } from '../portal-form-errors.ts'
import { problemOf, useProblems } from '../problems.ts'

const DAY_MS = 86_400_000

function useValues(announcement: Announcement | undefined) {
  const [values, setValues] = useState(() => ({
    text: announcement?.text ?? inEach(() => ''),
    link: announcement?.link ?? '',
    startsAt: inIndia(announcement?.startsAt ?? serverNowMs()),
    endsAt: inIndia(announcement?.endsAt ?? serverNowMs() + DAY_MS),
  }))
  const { problems, judge, refused } = useProblems()
  const { text, link, startsAt, endsAt } = values
  const hasTimes = startsAt !== '' && endsAt !== ''
  const check = (): boolean =>
    judge({
      ...Object.fromEntries(LANGUAGES.map((language) => [`text.${language}`, problemOf(announcementText, text[language])])),
      link: link.trim() === '' ? undefined : problemOf(announcementLink, link),
      startsAt: startsAt === '' ? 'announcement_time' : undefined,
      endsAt: endsAt === '' ? 'announcement_time' : hasTimes && endsAt <= startsAt ? 'announcement_end_first' : undefined,
    })
  const body = () => ({ text, link: link.trim() === '' ? null : link.trim(), startsAt: fromIndia(startsAt), endsAt: fromIndia(endsAt) })
  const set = (changed: Partial<typeof values>): void => setValues({ ...values, ...changed })
  return { values, set, body, check, problems, refused }
}

export function AnnouncementDialog({ announcement, onClose }: { readonly announcement?: Announcement; readonly onClose: () => void }) {
  const { t } = useLingui()
  const { values, set, body, check, problems, refused } = useValues(announcement)
  const save = () =>
    (announcement === undefined
      ? call('createAnnouncement', { body: body() })
      : call('updateAnnouncement', { params: { id: announcement.id }, body: { ...body(), version: announcement.version } })
    ).catch(refused)
  return (
    <Decision
      title={announcement === undefined ? t`New announcement` : t`Edit announcement`}
      confirm={t`Save`}
      check={check}
      send={save}
      onDone={() => toast.success(t`The announcement is saved.`)}
      onClose={onClose}
    >
      {LANGUAGES.map((language) => {
        const { name } = SPEECH[language]
        return (
          <TextAreaField
            key={language}
            lang={language}
            label={t`Text: ${name}`}
            hint={t`Plain text, at most ${ANNOUNCEMENT_MAX} characters.`}
            maxLength={ANNOUNCEMENT_MAX}
            rows={2}
            {...typed(values.text[language], problems[`text.${language}`], (text) => set({ text: { ...values.text, [language]: text } }))}
          />
        )
      })}
      <TextField
        label={t`Page to read more`}
        hint={t`A page of this app, such as /wallet or /money-trail. Empty: no link.`}
        autoComplete="off"
        {...typed(values.link, problems.link, (link) => set({ link }))}
      />
      <TextField
        label={t`Start (IST)`}
        type="datetime-local"
        {...typed(values.startsAt, problems.startsAt, (startsAt) => set({ startsAt }))}
      />
      <TextField label={t`End (IST)`} type="datetime-local" {...typed(values.endsAt, problems.endsAt, (endsAt) => set({ endsAt }))} />
      <Preview text={values.text} link={values.link.trim()} />
      {announcement?.status === 'running' ? (
        <p className="small muted under-button">{t`Members who have put this announcement away will not see the new text.`}</p>
      ) : null}
    </Decision>
  )
}

/** The strip of each language, as members see it. */
function Preview({ text, link }: { readonly text: Readonly<Record<Language, string>>; readonly link: string }) {
  return (
    <section className="previews">
      <h3>
        <Trans>As members see it</Trans>
      </h3>
      {LANGUAGES.map((language) => (
        <div key={language} className="notice news" lang={language}>
          <p>
            {text[language].trim() === '' ? '…' : text[language]} {link === '' ? null : <span className="unbroken">{link}</span>}
          </p>
        </div>
      ))}
    </section>
  )
}
