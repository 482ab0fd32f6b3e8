/**
 * The app's side of the service worker, and of being put on a home screen. Invariants: a new version
 * takes over only when the member says so; the install prompt is offered once, after a join.
 */
import { useSyncExternalStore } from 'react'
import { currentLanguage } from '../language.ts'

const OFFERED = 'install-offered'
const LOOK_AGAIN_MS = 3_600_000

type InstallEvent = Event & { readonly prompt: () => Promise<unknown> }
type State = {
  /** A version that waits to take over. */
  readonly update: ServiceWorker | undefined
  /** The browser's own prompt, where it has one and a join has earned it. */
  readonly install: InstallEvent | undefined
}

let state: State = { update: undefined, install: undefined }
let held: InstallEvent | undefined
let joined = false
const listeners = new Set<() => void>()

function change(next: Partial<State>): void {
  state = { ...state, ...next }
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
export const usePrompts = (): State => useSyncExternalStore(subscribe, () => state)

/** Called once at the start; the worker is fetched when the page has what it needs itself. */
export function startWorker(): void {
  window.addEventListener('beforeinstallprompt', (event) => {
    // The browser would ask on the first visit, before anybody knows what for.
    event.preventDefault()
    held = event as InstallEvent
    if (joined) offer()
  })
  window.addEventListener('appinstalled', () => change({ install: undefined }))
  if (!('serviceWorker' in navigator)) return
  if (document.readyState === 'complete') void register()
  else window.addEventListener('load', () => void register())
}

async function register(): Promise<void> {
  try {
    await navigator.serviceWorker.register('/sw.js')
    const registration = await navigator.serviceWorker.getRegistration()
    if (registration === undefined) return
    watch(registration)
    tellLanguage()
  } catch (error) {
    // Without it everything works but the offline page.
    console.info('No service worker:', error)
  }
}

function watch(registration: ServiceWorkerRegistration): void {
  const tell = (): void => {
    // The very first one has nothing to replace.
    if (registration.waiting !== null && registration.active !== null) change({ update: registration.waiting })
  }
  tell()
  registration.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', tell))
  let lookedMs = performance.now()
  document.addEventListener('visibilitychange', () => {
    if (document.hidden || performance.now() - lookedMs < LOOK_AGAIN_MS) return
    lookedMs = performance.now()
    void registration.update().catch(() => undefined)
  })
}

/** Neither worker nor manifest can read what this browser's storage says. */
export function tellLanguage(): void {
  const language = currentLanguage()
  const manifest = document.querySelector<HTMLLinkElement>('link[rel=manifest]')
  if (manifest !== null) manifest.href = language === 'en' ? '/manifest.webmanifest' : `/${language}/manifest.webmanifest`
  if (!('serviceWorker' in navigator)) return
  void navigator.serviceWorker.ready.then(({ active }) => active?.postMessage({ language }))
}

/** The new version takes over, and this page begins anew with it. */
export function takeUpdate(): void {
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
  state.update?.postMessage({ takeOver: true })
}
export const putOffUpdate = (): void => change({ update: undefined })

/** After a join; the first one in this browser brings the offer, if the browser has one. */
export function offerInstall(): void {
  joined = true
  if (held !== undefined) offer()
}

function offer(): void {
  try {
    if (localStorage.getItem(OFFERED) !== null) return
    localStorage.setItem(OFFERED, '1')
  } catch {
    return
  }
  change({ install: held })
}

export function answerInstall(yes: boolean): void {
  const { install } = state
  change({ install: undefined })
  if (yes) void install?.prompt()
}
