/** Starts the app: language and session first, then the screen that the address names. */
import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { READ_WITHIN_MS, whenSessionEnds } from './app/api.ts'
import './features/shared.ts'
import { startLanguage } from './app/language.ts'
import { showLost, tellLost } from './app/load-failure.ts'
import { paths } from './paths.ts'
import { inPortal } from './app/portal.ts'
import { startWorker } from './pwa/registration.ts'
import { queryClient } from './app/query.ts'
import { type AppRouter, createAppRouter } from './routes.tsx'
import { session, useSession } from './app/session.tsx'
import { Spinner } from './ui/Feedback.tsx'
import './ui/tokens.css'
import './ui/base.css'
import './ui/app.css'
import './features/screens.css'

// A member signed in or out in another tab: this one must not go on as the old person. The portal's session is the tab's own.
window.addEventListener('storage', (event) => {
  if (!inPortal && (event.key === 'token' || event.key === null)) location.reload()
})

function leaveWhenSessionEnds(router: AppRouter): void {
  whenSessionEnds(() => {
    // A stale token found at the start: the guards decide, so that a mail's link still works.
    const starting = session.get().status === 'loading'
    session.clear()
    if (!starting) void router.navigate({ to: inPortal ? paths.adminLogin : paths.login, replace: true })
  })
}

function App({ router }: { readonly router: AppRouter }) {
  return useSession().status === 'loading' ? (
    <main className="book app" id="main">
      <Spinner page />
    </main>
  ) : (
    <RouterProvider router={router} />
  )
}

/** The screen's own part comes beside the session and the words, not after them; the router tells where it fails. */
function loadScreen(router: AppRouter): void {
  for (const { routeId } of router.matchRoutes(router.latestLocation)) {
    const { component } = router.routesById[routeId as keyof typeof router.routesById].options
    if (component !== undefined && 'preload' in component) void component.preload?.()
  }
}

/** So long the splash stands for what is still on its way; then the app says itself that it loads. */
const SPLASH_MS = 300

/** A turn of its own for what follows: a slow phone answers between. */
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
  const ready = started.then(() => {
    clearTimeout(late)
    return router.load()
  })
  await Promise.race([ready, new Promise((resolve) => setTimeout(resolve, SPLASH_MS))])
  // As a transition it is drawn in small steps, between which a slow phone goes on answering.
  startTransition(() =>
    createRoot(place).render(
      <StrictMode>
        <I18nProvider i18n={i18n}>
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
// Nothing is awaited at this level: the screens' own parts wait for this module.
begin(place).catch(tellLost)
