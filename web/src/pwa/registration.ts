/**
 * The app's side of the service worker, of being put on a home screen and of results on this device.
 * Invariants: a new version takes over only when the member says so; a join brings at most one offer,
 * each of them once.
 */
import { addressIn } from '@roz/core/language.ts'
import { useSyncExternalStore } from 'react'
import { currentLanguage } from '../app/language.ts'
import { deviceOwner } from './device-owner.ts'
import { setWorkerRegistration, workerRegistration } from './worker-registration.ts'

const OFFERED = 'install-offered'
const RESULTS_OFFERED = 'results-offered'
const LOOK_AGAIN_MS = 3_600_000

type InstallEvent = Event & { readonly prompt: () => Promise<unknown> }
type State = {
  /** A version that waits to take over. */
  readonly update: ServiceWorker | undefined
  /** The browser's own prompt, where it has one and a join has earned it. */
  readonly install: InstallEvent | undefined
  /** The result of the round that was joined may come to this device: what a tap does. */
  readonly results: TurnOn | undefined
}
type TurnOn = typeof import('./push.ts').turnOn

let state: State = { update: undefined, install: undefined, results: undefined }
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
  if (!('serviceWorker' in navigator)) return setWorkerRegistration(undefined)
  if (document.readyState === 'complete') void register()
  else window.addEventListener('load', () => void register())
}

async function register(): Promise<void> {
  try {
    await navigator.serviceWorker.register('/sw.js')
    const registration = await navigator.serviceWorker.getRegistration()
    setWorkerRegistration(registration)
    if (registration === undefined) return
    watch(registration)
    tellLanguage()
  } catch (error) {
    // Without it everything works but the offline page and results on this device.
    setWorkerRegistration(undefined)
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
  if (manifest !== null) manifest.href = addressIn(language, '/manifest.webmanifest')
  if (!('serviceWorker' in navigator)) return
  void navigator.serviceWorker.ready.then(({ active }) => active?.postMessage({ language }))
}

/** The new version takes over, and this page begins anew with it. */
export function takeUpdate(): void {
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
  state.update?.postMessage({ takeOver: true })
}
export const putOffUpdate = (): void => change({ update: undefined })

/** After a join; the first one in this browser brings the browser's own offer, if it has one, the next that of results. */
export function offerInstall(): void {
  joined = true
  if (held !== undefined) offer()
  if (state.install === undefined) void offerResults()
}

/** Where the browser would still ask, and nobody here has been offered it. */
async function offerResults(): Promise<void> {
  if (!('PushManager' in window) || !('Notification' in window) || Notification.permission === 'denied') return
  if (deviceOwner() !== undefined || (await workerRegistration) === undefined) return
  try {
    if (localStorage.getItem(RESULTS_OFFERED) !== null) return
    localStorage.setItem(RESULTS_OFFERED, '1')
    // Loaded before the tap: a browser asks for permission only at once after it.
    change({ results: (await import('./push.ts')).turnOn })
  } catch {
    return
  }
}
export const putOffResults = (): void => change({ results: undefined })

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
