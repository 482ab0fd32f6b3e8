/**
 * The service worker.
 * - It never handles /api or another host.
 * - A screen is always requested from the server. The offline page replaces it only if no answer arrives at all.
 * - Hashed files are cached once used. Files of an older version are deleted when this version takes over.
 * - A round has one notification, which makes no sound at night.
 * - "Not today" of a reminder tells the server, and opens nothing.
 */
import { type Language, languageAt, languageOf } from '@roz/core/language.ts'
import type { ReminderNews } from '@roz/core/reminder.ts'
import type { ResultNews } from '@roz/core/result-news.ts'

declare const __VERSION__: string
declare const __OFFLINE__: Readonly<Record<Language, string>>
declare const __SHELL__: readonly string[]

type Waitable = Event & { readonly waitUntil: (work: Promise<unknown>) => void }
type Fetched = Waitable & { readonly request: Request; readonly respondWith: (answer: Promise<Response>) => void }
type Pushed = Waitable & { readonly data: { readonly json: () => unknown } | null }
type Clicked = Waitable & { readonly notification: Notification; readonly action: string }
/** Results, stories and reminders have the same form; only a reminder has a button. */
type News = Omit<ResultNews, 'path'> & { readonly path: string } & Partial<Pick<ReminderNews, 'actions' | 'silence'>>
type Window = { readonly url: string; readonly focus: () => Promise<unknown> }
type ServiceWorkerSelf = {
  readonly clients: {
    readonly claim: () => Promise<void>
    readonly matchAll: (which: { readonly type: 'window' }) => Promise<readonly Window[]>
    readonly openWindow: (address: string) => Promise<unknown>
  }
  readonly registration: { readonly showNotification: (title: string, options: NotificationOptions) => Promise<void> }
  readonly skipWaiting: () => Promise<void>
  addEventListener(type: 'install' | 'activate', listener: (event: Waitable) => void): void
  addEventListener(type: 'fetch', listener: (event: Fetched) => void): void
  addEventListener(type: 'push', listener: (event: Pushed) => void): void
  addEventListener(type: 'notificationclick', listener: (event: Clicked) => void): void
  addEventListener(type: 'message', listener: (event: MessageEvent & Waitable) => void): void
}
const worker = self as unknown as ServiceWorkerSelf

const KEPT = `roz-${__VERSION__}`
/** The cache that survives versions: it stores the language chosen in this browser, because a worker cannot read localStorage. */
const CHOICE = 'choice'
const CHOSEN = '/chosen-language'
/** The button of core/src/reminder.ts and the path of the call silenceReminder: an import would bring their modules along. */
const [NOT_TODAY, SILENCE] = ['not-today', '/api/notifications/reminder/silence'] as const
/** Night by the device's own clock: results arrive at midnight. */
const [NIGHT_FROM, NIGHT_TO] = [22, 7]

worker.addEventListener('install', (event) => event.waitUntil(keepShell()))
worker.addEventListener('activate', (event) => event.waitUntil(takeOver()))
worker.addEventListener('message', (event) => {
  const told = event.data as { readonly language?: string; readonly takeOver?: true } | null
  if (told?.takeOver === true) event.waitUntil(worker.skipWaiting())
  if (told?.language !== undefined && told.language in __OFFLINE__) event.waitUntil(keepChoice(told.language))
})
worker.addEventListener('push', (event) => event.waitUntil(tell(event.data)))
worker.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const { path, silence } = event.notification.data as Pick<News, 'path' | 'silence'>
  event.waitUntil(event.action === NOT_TODAY && silence !== undefined ? silenceToday(silence) : open(path))
})
worker.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (pathname.startsWith('/assets/')) event.respondWith(asset(request))
  else if (request.mode === 'navigate' && !/^\/(api|dev)(\/|$)/.test(pathname)) event.respondWith(screen(request, pathname))
})

async function keepShell(): Promise<void> {
  const kept = await caches.open(KEPT)
  await kept.addAll([...Object.values(__OFFLINE__), ...__SHELL__].map((address) => new Request(address, { cache: 'reload' })))
}

async function takeOver(): Promise<void> {
  const old = (await caches.keys()).filter((name) => name !== KEPT && name !== CHOICE)
  await Promise.all(old.map((name) => caches.delete(name)))
  await worker.clients.claim()
}

async function keepChoice(language: string): Promise<void> {
  await (await caches.open(CHOICE)).put(CHOSEN, new Response(language))
}

/** A browser demands a notification for every push, so a push without content shows one too. */
async function tell(data: Pushed['data']): Promise<void> {
  const { title = location.host, path = '/dashboard', silence, ...news } = readNews(data)
  const hour = new Date().getHours()
  const silent = hour >= NIGHT_FROM || hour < NIGHT_TO
  await worker.registration.showNotification(title, { ...news, icon: '/icons/icon-192.png', silent, data: { path, silence } })
}

function readNews(data: Pushed['data']): Partial<News> {
  try {
    return data?.json() ?? {}
  } catch {
    return {}
  }
}

/** Without a network the server is not told; this device has had its reminder anyway. */
async function silenceToday(token: string): Promise<void> {
  const body = JSON.stringify({ token })
  await fetch(SILENCE, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(() => undefined)
}

async function open(path: string): Promise<void> {
  const windows = await worker.clients.matchAll({ type: 'window' })
  const there = windows.find(({ url }) => new URL(url).pathname === path)
  await (there === undefined ? worker.clients.openWindow(path) : there.focus())
}

async function screen(request: Request, pathname: string): Promise<Response> {
  try {
    return await fetch(request)
  } catch {
    const chosen = await (await caches.match(CHOSEN, { cacheName: CHOICE }))?.text()
    const language = languageAt(pathname) ?? languageOf(chosen ?? navigator.language)
    return (await caches.match(__OFFLINE__[language])) ?? Response.error()
  }
}

async function asset(request: Request): Promise<Response> {
  const known = await caches.match(request, { cacheName: KEPT })
  if (known !== undefined) return known
  const answer = await fetch(request)
  if (answer.status === 200) await keep(request, answer.clone())
  return answer
}

/** If the device has no space, nothing is cached, and the answer is still delivered. */
async function keep(request: Request, answer: Response): Promise<void> {
  try {
    await (await caches.open(KEPT)).put(request, answer)
  } catch (error) {
    console.info('Not kept:', error)
  }
}
