/**
 * The service worker. Invariants: it never touches /api nor any address of another host; a screen is
 * always asked for anew, and only when no answer comes at all does the offline page stand in for it;
 * hashed files are kept once used, and those of an older version go when this one takes over.
 */
declare const __VERSION__: string
declare const __OFFLINE__: Readonly<Record<'en' | 'hi', string>>
declare const __SHELL__: readonly string[]

type Waitable = Event & { readonly waitUntil: (work: Promise<unknown>) => void }
type Fetched = Waitable & { readonly request: Request; readonly respondWith: (answer: Promise<Response>) => void }
type ServiceWorkerSelf = {
  readonly clients: { readonly claim: () => Promise<void> }
  readonly skipWaiting: () => Promise<void>
  addEventListener(type: 'install' | 'activate', listener: (event: Waitable) => void): void
  addEventListener(type: 'fetch', listener: (event: Fetched) => void): void
  addEventListener(type: 'message', listener: (event: MessageEvent & Waitable) => void): void
}
const worker = self as unknown as ServiceWorkerSelf

const KEPT = `roz-${__VERSION__}`
/** Outlives versions: the language that was chosen in this browser, which a worker cannot read. */
const CHOICE = 'choice'
const CHOSEN = '/chosen-language'

worker.addEventListener('install', (event) => event.waitUntil(keepShell()))
worker.addEventListener('activate', (event) => event.waitUntil(takeOver()))
worker.addEventListener('message', (event) => {
  const told = event.data as { readonly language?: string; readonly takeOver?: true } | null
  if (told?.takeOver === true) event.waitUntil(worker.skipWaiting())
  if (told?.language === 'en' || told?.language === 'hi') event.waitUntil(keepChoice(told.language))
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

async function screen(request: Request, pathname: string): Promise<Response> {
  try {
    return await fetch(request)
  } catch {
    const chosen = await (await caches.match(CHOSEN, { cacheName: CHOICE }))?.text()
    const isHindi = /^\/hi(\/|$)/.test(pathname) || (chosen ?? navigator.language).startsWith('hi')
    return (await caches.match(__OFFLINE__[isHindi ? 'hi' : 'en'])) ?? Response.error()
  }
}

async function asset(request: Request): Promise<Response> {
  const known = await caches.match(request, { cacheName: KEPT })
  if (known !== undefined) return known
  const answer = await fetch(request)
  if (answer.status === 200) await (await caches.open(KEPT)).put(request, answer.clone())
  return answer
}

export {}
