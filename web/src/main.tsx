/** Starts the app: first the language and the session, then the screen at the address. */
import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { useLingui } from '@lingui/react/macro'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { READ_WITHIN_MS, whenSessionEnds } from './app/api.ts'
import './features/shared.ts'
import { isolating } from './app/isolating.ts'
import { startLanguage } from './app/language.ts'
import { showLost, tellLost } from './app/load-failure.ts'
import { paths } from './paths.ts'
import { inPortal } from './app/portal.ts'
import { startWorker } from './pwa/registration.ts'
import { queryClient } from './app/query.ts'
import { type AppRouter, createAppRouter } from './routes.tsx'
import { session, useSession } from './app/session.tsx'
import { ErrorState, Spinner } from './ui/Feedback.tsx'
import { Section } from './ui/Section.tsx'
import './ui/tokens.css'
import './ui/base.css'
import './ui/app.css'
import './features/screens.css'

// A login or logout in another tab reloads this tab, so that it does not continue as the former member.
// The portal's session belongs to its own tab.
window.addEventListener('storage', (event) => {
  if (!inPortal && (event.key === 'token' || event.key === null)) location.reload()
})

function leaveWhenSessionEnds(router: AppRouter): void {
  whenSessionEnds(() => {
    // A stale token at the start must not redirect: the guards decide, so that a link from a mail still works.
    const starting = session.get().status === 'loading'
    session.clear()
    if (!starting) void router.navigate({ to: inPortal ? paths.adminLogin : paths.login, replace: true })
  })
}

function App({ router }: { readonly router: AppRouter }) {
  const { t } = useLingui()
  const now = useSession()
  if (now.status !== 'loading') return <RouterProvider router={router} />
  return (
    <main className="book app" id="main">
      <Spinner page />
      {now.isLate ? (
        <Section>
          <ErrorState title={t`Network error. Please check your connection and try again.`} onRetry={session.askAgain} />
        </Section>
      ) : null}
    </main>
  )
}

/** Loads the screen's code in parallel with the session and the words. If it fails, the router reports it. */
function loadScreen(router: AppRouter): void {
  for (const { routeId } of router.matchRoutes(router.latestLocation)) {
    const { component } = router.routesById[routeId as keyof typeof router.routesById].options
    if (component !== undefined && 'preload' in component) void component.preload?.()
  }
}

/** The splash screen stays at most 300 ms while data loads; then the app shows its own loading state. */
const SPLASH_MS = 300

/** A task of its own, so that a slow phone can respond to input in between. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

async function begin(place: HTMLElement): Promise<void> {
  session.watchPage()
  startWorker()
  await turn()
  const router = createAppRouter()
  leaveWhenSessionEnds(router)
  loadScreen(router)
  await turn()
  const late = setTimeout(showLost, READ_WITHIN_MS)
  const started = session.start()
  await startLanguage()
  clearTimeout(late)
  const ready = started.then(() => router.load())
  await Promise.race([ready, new Promise((resolve) => setTimeout(resolve, SPLASH_MS))])
  // A transition renders in small steps, so that a slow phone stays responsive.
  startTransition(() =>
    createRoot(place).render(
      <StrictMode>
        <I18nProvider i18n={isolating(i18n)}>
          <QueryClientProvider client={queryClient}>
            <App router={router} />
          </QueryClientProvider>
        </I18nProvider>
      </StrictMode>,
    ),
  )
}

const place = document.getElementById('root')
if (place === null) throw new Error('app.html has no #root')
// No top-level await: the screens' own code waits for this module.
begin(place).catch(tellLost)
