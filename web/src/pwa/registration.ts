/**
 * The app's side of the service worker, of the install prompt and of the offer of results on this device.
 * - A new version takes over only with the member's consent.
 * - A join brings at most one offer, and each offer is made once per browser.
 */
import { addressIn } from '@roz/core/language.ts'
import { useSyncExternalStore } from 'react'
import { currentLanguage } from '../app/language.ts'
import { readStored, store } from '../app/stored.ts'
import { deviceOwner } from './device-owner.ts'
import { setWorkerRegistration, workerRegistration } from './worker-registration.ts'

const OFFERED = 'install-offered'
const RESULTS_OFFERED = 'results-offered'
const LOOK_AGAIN_MS = 3_600_000

type InstallEvent = Event & { readonly prompt: () => Promise<unknown> }
type State = {
  /** A new version that waits to take over. */
  readonly update: ServiceWorker | undefined
  /** The browser's install prompt, if the browser has one and the member has joined a round. */
  readonly install: InstallEvent | undefined
  /** Turns on results on this device, while that offer is shown. */
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

/** Call it once at the start. The worker is registered after the page has loaded. */
export function startWorker(): void {
  window.addEventListener('beforeinstallprompt', (event) => {
    // Prevents the browser from asking on the first visit, before the visitor knows the product.
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
    // Without a worker everything works except the offline page and results on this device.
    setWorkerRegistration(undefined)
    console.info('No service worker:', error)
  }
}

function watch(registration: ServiceWorkerRegistration): void {
  const tell = (): void => {
    // The first worker replaces no other.
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

/** Neither the worker nor the manifest can read this browser's localStorage. */
export function tellLanguage(): void {
  const language = currentLanguage()
  const manifest = document.querySelector<HTMLLinkElement>('link[rel=manifest]')
  if (manifest !== null) manifest.href = addressIn(language, '/manifest.webmanifest')
  if (!('serviceWorker' in navigator)) return
  void navigator.serviceWorker.ready.then(({ active }) => active?.postMessage({ language }))
}

/** Activates the new version and reloads this page with it. */
export function takeUpdate(): void {
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
  state.update?.postMessage({ takeOver: true })
}
export const putOffUpdate = (): void => change({ update: undefined })

/** Called after each join. The first join offers the installation, if the browser has a prompt; the next one offers results. */
export function offerInstall(): void {
  joined = true
  if (held !== undefined) offer()
  if (state.install === undefined) void offerResults()
}

/** Only if the browser may still ask for permission, and this browser has not shown the offer before. */
async function offerResults(): Promise<void> {
  if (!('PushManager' in window) || !('Notification' in window) || Notification.permission === 'denied') return
  if (deviceOwner() !== undefined || (await workerRegistration) === undefined || !isFirst(RESULTS_OFFERED)) return
  // Loaded before the tap: a browser grants a permission prompt only directly after a tap.
  const push = await import('./push.ts').catch(() => undefined)
  change({ results: push?.turnOn })
}
export const putOffResults = (): void => change({ results: undefined })

function offer(): void {
  if (isFirst(OFFERED)) change({ install: held })
}

/** Notes the offer. False if this browser had it before, or cannot remember it. */
const isFirst = (name: string): boolean => readStored(name) === undefined && store(name, '1')

export function answerInstall(yes: boolean): void {
  const { install } = state
  change({ install: undefined })
  if (yes) void install?.prompt()
}
