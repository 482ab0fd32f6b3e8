/** Announcements: planned, running and over. Editors write them, change them, and end them before their end. */
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { EDITORS } from '@roz/contract/roles.ts'
import { LANGUAGES } from '@roz/core/language.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { Badge } from '../../../ui/Feedback.tsx'
import { formatInstant } from '../../../ui/format.ts'
import { toast } from '../../../ui/Toast.tsx'
import { Unbroken } from '../../../ui/Unbroken.tsx'
import { RowList } from '../RowList.tsx'
import { AnnouncementDialog } from './AnnouncementDialog.tsx'
import { ListHead } from '../CsvButton.tsx'
import { Decision } from '../Decision.tsx'
import { useNarrowing } from '../money/MoneyRows.tsx'
import { type Announcement, announcementsQuery, narrowed } from '../queries.ts'
import type { Shown } from '../states.ts'
import { useMay } from '../use-may.ts'

type State = Announcement['status']

const STATES = {
  planned: { tone: 'waiting', label: msg`Planned` },
  running: { tone: 'live', label: msg`Running` },
  over: { tone: 'plain', label: msg`Over` },
} as const satisfies Record<State, Shown>

type Open = { readonly for: 'new' } | { readonly for: 'edit' | 'end'; readonly announcement: Announcement }

export function Announcements() {
  const { t } = useLingui()
  const mayWrite = useMay(EDITORS)
  const { narrowing, fields } = useNarrowing(STATES, t`Search announcements`, t`A word of the text`)
  const [open, setOpen] = useState<Open>()
  const list = useInfiniteQuery(announcementsQuery(narrowing))
  const isWhole = narrowing.status === '' && narrowing.q === ''
  const close = (): void => setOpen(undefined)
  return (
    <>
      <ListHead title={t`Announcements`} csv={{ of: 'announcementsCsv', name: 'announcements', filters: narrowed(narrowing) }}>
        {mayWrite ? <Button onClick={() => setOpen({ for: 'new' })}>{t`New announcement`}</Button> : null}
      </ListHead>
      {fields}
      <RowList
        list={list}
        itemsOf={(page) => page.announcements}
        failed={t`The announcements could not be loaded.`}
        empty={isWhole ? t`No announcements yet` : t`No announcements found`}
        hint={isWhole ? t`A short text that members see at the top of every screen, between the start and end you set.` : undefined}
      >
        {(announcement) => (
          <Row
            key={announcement.id}
            announcement={announcement}
            mayWrite={mayWrite}
            onChoose={(action) => setOpen({ for: action, announcement })}
          />
        )}
      </RowList>
      {open?.for === 'new' ? <AnnouncementDialog onClose={close} /> : null}
      {open?.for === 'edit' ? <AnnouncementDialog announcement={open.announcement} onClose={close} /> : null}
      {open?.for === 'end' ? <EndNow announcement={open.announcement} onClose={close} /> : null}
    </>
  )
}

type RowProps = {
  readonly announcement: Announcement
  readonly mayWrite: boolean
  readonly onChoose: (action: 'edit' | 'end') => void
}

/** The text in the reader's language first, the others below it. */
function Row({ announcement, mayWrite, onChoose }: RowProps) {
  const { t, i18n } = useLingui()
  const { text, link, startsAt, endsAt, endedAt, status } = announcement
  const language = currentLanguage()
  const words = text[language]
  const start = formatInstant(startsAt, language)
  const end = formatInstant(endsAt, language)
  const ended = endedAt === null ? '' : formatInstant(endedAt, language)
  return (
    <li>
      <div>
        <h3>{words}</h3>
        {LANGUAGES.filter((other) => other !== language).map((other) => (
          <p key={other} lang={other} className="small muted">
            {text[other]}
          </p>
        ))}
        <p className="small muted">
          <Unbroken text={t`${start} to ${end} (IST)`} />
        </p>
        {link === null ? null : <p className="small muted">{t`Link: ${link}`}</p>}
        {endedAt === null ? null : (
          <p className="small muted">
            <Unbroken text={t`Ended by the team: ${ended}`} />
          </p>
        )}
      </div>
      <Badge tone={STATES[status].tone}>{i18n._(STATES[status].label)}</Badge>
      <div className="buttons">
        {mayWrite && status !== 'over' ? (
          <>
            <Button kind="secondary" aria-label={t`Edit: ${words}`} onClick={() => onChoose('edit')}>{t`Edit`}</Button>
            <Button kind="quiet" aria-label={t`End now: ${words}`} onClick={() => onChoose('end')}>{t`End now`}</Button>
          </>
        ) : null}
      </div>
    </li>
  )
}

function EndNow({ announcement, onClose }: { readonly announcement: Announcement; readonly onClose: () => void }) {
  const { t } = useLingui()
  const { id, version, text, status } = announcement
  return (
    <Decision
      title={<Trans>End this announcement now?</Trans>}
      confirm={t`End now`}
      danger
      send={() => call('endAnnouncement', { params: { id }, body: { version } })}
      onDone={() => toast.success(t`The announcement is over.`)}
      onClose={onClose}
    >
      <p>{text[currentLanguage()]}</p>
      <p className="muted spaced">
        {status === 'planned'
          ? t`It will not be shown. This cannot be undone, but you can write a new one.`
          : t`Members no longer see it when they next open the app. This cannot be undone, but you can write a new one.`}
      </p>
    </Decision>
  )
}
