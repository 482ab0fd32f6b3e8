/** What every screen of the app stands in: skip link, bar, toasts; focus goes to the page after a walk. */
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
import { Book, Section } from '../ui/Layout.tsx'
import { ToastHost } from '../ui/Toast.tsx'
import { Bar } from './Bars.tsx'
import { Prompts } from './Prompts.tsx'

export function Frame() {
  // A change of language draws everything anew.
  useLanguageChange()
  const router = useRouter()
  useEffect(
    () =>
      // Not as the walk begins: the screen may still be on its way. Who has opened a menu meanwhile stays in it.
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
/** Not every browser tells when it has nothing to do. */
const moment = (): Promise<unknown> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: MOMENT_WITHIN_MS })
    else setTimeout(resolve, MOMENT_WITHIN_MS / 4)
  })
/** Comes after the screen, when the browser has a moment; the screen must not break where it cannot be fetched. */
const TicketWatch = lazy(async () => {
  try {
    await moment()
    const { TicketWatch: Watch } = await import('../features/ticket/TicketWatch.tsx')
    return { default: Watch }
  } catch {
    return nothing
  }
})

/** Draws its screens only while the session is of the kind they need; the guard has chosen where else to go. */
export function MemberScreens() {
  if (useSession().status !== 'member') return <Waiting />
  return (
    <>
      <UnverifiedBanner />
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

/** What a bug or a lost chunk of the program looks like: plain words and two ways on. */
export function BrokenPage({ error }: { readonly error: unknown; readonly info?: ErrorInfo }) {
  const { t } = useLingui()
  const router = useRouter()
  const home = inPortal ? paths.adminDashboard : paths.dashboard
  useEffect(() => console.warn('A screen failed:', error), [error])
  return (
    <Book title={t`Something went wrong`}>
      <Section>
        <h1>
          <Trans>Something went wrong</Trans>
        </h1>
        <p className="lead">
          <Trans>This page could not be shown. Your money and your rounds are safe on our server.</Trans>
        </p>
        <p className="buttons load-more">
          <Button onClick={() => location.reload()}>
            <Trans>Reload the page</Trans>
          </Button>
          <Button kind="secondary" onClick={() => void router.navigate({ to: home }).then(() => router.invalidate())}>
            <Trans>Go to Dashboard</Trans>
          </Button>
        </p>
      </Section>
    </Book>
  )
}
