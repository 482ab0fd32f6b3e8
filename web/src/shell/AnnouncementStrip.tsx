/**
 * The running announcement above a member's screens: one at a time, the newest start first.
 * - It arrives with the session, so the screen is drawn with it and nothing moves.
 * - A dismissed announcement stays hidden on this device for every account, because it says nothing about a member.
 */
import { useLingui } from '@lingui/react/macro'
import { addressIn } from '@roz/core/language.ts'
import type { RunningAnnouncement } from '@roz/contract/shapes.ts'
import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { currentLanguage } from '../app/language.ts'
import { useSession } from '../app/session.tsx'
import { readStored, store } from '../app/stored.ts'
import { serverNowMs } from '../features/clock.ts'
import { publicPaths } from '../paths.ts'
import { Button } from '../ui/Button.tsx'

const SLOT = 'roz-announcements-put-away'
const KEPT_MAX = 50

const readPutAway = (): readonly string[] => (readStored(SLOT) ?? '').split(' ')

export function AnnouncementStrip() {
  const now = useSession()
  const [putAway, setPutAway] = useState(readPutAway)
  // An announcement that ended meanwhile disappears with the next screen.
  useLocation({ select: ({ pathname }) => pathname })
  const news =
    now.status === 'member'
      ? now.announcements.find(({ id, endsAt }) => !putAway.includes(id) && Date.parse(endsAt) > serverNowMs())
      : undefined
  if (news === undefined) return null
  const close = (): void => {
    const ids = [...readPutAway().filter((id) => id !== news.id), news.id]
    // Where storage is blocked, it stays hidden until the page unloads.
    store(SLOT, ids.slice(-KEPT_MAX).join(' '))
    setPutAway([...putAway, news.id])
    document.getElementById('main')?.focus({ preventScroll: true })
  }
  return <Announced news={news} onClose={close} />
}

function Announced({ news, onClose }: { readonly news: RunningAnnouncement; readonly onClose: () => void }) {
  const { t } = useLingui()
  const language = currentLanguage()
  const isPublic = Object.values<string>(publicPaths).includes(news.link ?? '')
  return (
    <aside className="notice news no-print" aria-label={t`Announcement`}>
      <p>
        {news.text[language]}{' '}
        {news.link === null ? null : <a href={isPublic ? addressIn(language, news.link) : news.link}>{t`Read more`}</a>}
      </p>
      <Button kind="quiet" onClick={onClose}>{t`Put away`}</Button>
    </aside>
  )
}
