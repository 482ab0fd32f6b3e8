/** The frame of every screen: skip link, bar and toasts. After a navigation the focus moves to the page. */
import { useLingui as useLanguageChange } from '@lingui/react'
import { Trans, useLingui } from '@lingui/react/macro'
import { Outlet, useRouter } from '@tanstack/react-router'
import { type ErrorInfo, lazy, Suspense, useEffect } from 'react'
import { UnverifiedBanner } from '../features/auth/UnverifiedBanner.tsx'
import { paths } from '../paths.ts'
import { inPortal } from '../app/portal.ts'
import { useSession } from '../app/session.tsx'
import { Button } from '../ui/Button.tsx'
import { Spinner } from '../ui/Feedback.tsx'
import { firstScreenStands } from '../ui/Later.tsx'
import { Book, CardSection } from '../ui/Layout.tsx'
import { ToastHost } from '../ui/Toast.tsx'
import { AnnouncementStrip } from './AnnouncementStrip.tsx'
import { Bar } from './Bars.tsx'
import { Prompts } from './Prompts.tsx'

export function AppFrame() {
  // A change of language renders everything again.
  useLanguageChange()
  const router = useRouter()
  useEffect(
    () =>
      // After the new screen has rendered, not when the navigation starts. A menu that was opened meanwhile keeps the focus.
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        const isBusy = document.querySelector('.menu-button[aria-expanded=true]')
        if (fromLocation && pathChanged && !isBusy) document.getElementById('main')?.focus({ preventScroll: true })
      }),
    [router],
  )
  useEffect(firstScreenStands, [])
  return (
    <>
      <a className="skip" href="#main">
        <Trans>Skip to content</Trans>
      </a>
      <Bar />
      <Prompts />
      <Outlet />
      <ToastHost />
    </>
  )
}

const nothing = { default: () => null }
const MOMENT_WITHIN_MS = 2000
/** Not every browser supports requestIdleCallback. */
const moment = (): Promise<unknown> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: MOMENT_WITHIN_MS })
    else setTimeout(resolve, MOMENT_WITHIN_MS / 4)
  })
/** Loads after the screen, when the browser is idle. If it cannot be loaded, the screen must not break. */
const TicketWatch = lazy(async () => {
  try {
    await moment()
    const { TicketWatch: Watch } = await import('../features/TicketWatch.tsx')
    return { default: Watch }
  } catch {
    return nothing
  }
})

/** Draws the screens only while the session has the right kind. Otherwise the guard has already redirected. */
export function MemberScreens() {
  if (useSession().status !== 'member') return <Waiting />
  return (
    <>
      <UnverifiedBanner />
      <AnnouncementStrip />
      <Suspense fallback={null}>
        <TicketWatch />
      </Suspense>
      <Outlet />
    </>
  )
}
export function AdminScreens() {
  return useSession().status === 'admin' ? <Outlet /> : <Waiting />
}

export function Waiting() {
  return (
    <main className="book app" id="main" tabIndex={-1}>
      <Spinner page />
    </main>
  )
}

/** The screen after a bug or a chunk that could not be loaded: plain words and two ways out. */
export function BrokenPage({ error }: { readonly error: unknown; readonly info?: ErrorInfo }) {
  const { t } = useLingui()
  const router = useRouter()
  const home = inPortal ? paths.adminDashboard : paths.dashboard
  useEffect(() => console.warn('A screen failed:', error), [error])
  return (
    <Book title={t`Something went wrong`}>
      <CardSection>
        <h1>{t`Something went wrong`}</h1>
        <p className="lead">{t`This page failed to load. Your balance and rounds are not affected.`}</p>
        <p className="buttons load-more">
          <Button onClick={() => location.reload()}>{t`Reload the page`}</Button>
          <Button kind="secondary" onClick={() => void router.navigate({ to: home }).then(() => router.invalidate())}>
            <Trans>Go to Dashboard</Trans>
          </Button>
        </p>
      </CardSection>
    </Book>
  )
}
