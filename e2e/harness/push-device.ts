/**
 * A browser that subscribes at the tests' push service, because Chromium's own asks Google.
 * - Only that service is replaced: permission, worker and notifications are Chromium's.
 */
import type { PushService, TestBrowser } from '@roz/server/testing/push-service.ts'
import type { CDPSession, Page } from 'playwright-core'
import type { Visit } from './browser.ts'
import { expect } from './expect.ts'

export type PushDevice = {
  /** The browser's subscriptions, newest last. */
  readonly subscribed: TestBrowser[]
  /** The next subscription fails as without a network. */
  fails: boolean
}

/** Call it before the first page opens. */
export async function givePushService({ context }: Visit, service: PushService): Promise<PushDevice> {
  const device: PushDevice = { subscribed: [], fails: false }
  await context.exposeFunction('subscribeAtService', () => {
    if (device.fails) return undefined
    const browser = service.newBrowser()
    device.subscribed.push(browser)
    return browser.subscription
  })
  await context.addInitScript(replaceService)
  return device
}

/** Runs in the page. A subscription outlives the page, as in a real browser. */
function replaceService(): void {
  const KEPT = 'push-service-of-the-test'
  type Kept = { readonly endpoint: string; readonly keys: object; readonly key: number[] }
  const subscriptionOf = ({ endpoint, keys, key }: Kept) => ({
    endpoint,
    options: { applicationServerKey: new Uint8Array(key).buffer, userVisibleOnly: true },
    toJSON: () => ({ endpoint, expirationTime: null, keys }),
    unsubscribe: async () => {
      localStorage.removeItem(KEPT)
      return true
    },
  })
  const kept = (): Kept | undefined => JSON.parse(localStorage.getItem(KEPT) ?? 'null') ?? undefined
  Object.assign(PushManager.prototype, {
    getSubscription: async () => {
      const held = kept()
      return held === undefined ? null : subscriptionOf(held)
    },
    subscribe: async ({ applicationServerKey }: { applicationServerKey: Uint8Array }) => {
      const ask = (window as unknown as { subscribeAtService: () => Promise<Omit<Kept, 'key'> | undefined> }).subscribeAtService
      const made = kept() ?? (await ask())
      if (made === undefined) throw new DOMException('Registration failed - push service error', 'AbortError')
      const held = { ...made, key: [...applicationServerKey] }
      localStorage.setItem(KEPT, JSON.stringify(held))
      return subscriptionOf(held)
    },
  })
}

/** Delivers a push message to the browser, and waits until its worker has shown it. */
export async function deliver(page: Page, devtools: CDPSession, text: string): Promise<void> {
  const before = await timesShown(page)
  const registered = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations
      if (first !== undefined) resolve(first.registrationId)
    })
  })
  await devtools.send('ServiceWorker.disable')
  await devtools.send('ServiceWorker.enable')
  const origin = `${new URL(page.url()).origin}/`
  await devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId: await registered, data: text })
  await expect.poll(() => timesShown(page)).toBe(before + 1)
}

/** How many notifications the worker has shown since the first call of this. */
function timesShown(page: Page): Promise<number> {
  const [worker] = page.context().serviceWorkers()
  if (worker === undefined) throw new Error('no service worker is running')
  return worker.evaluate(() => {
    const scope = globalThis as unknown as { readonly registration: ServiceWorkerRegistration; timesShown?: number }
    if (scope.timesShown === undefined) {
      const show = scope.registration.showNotification.bind(scope.registration)
      scope.timesShown = 0
      scope.registration.showNotification = async (...shown) => {
        await show(...shown)
        scope.timesShown = (scope.timesShown ?? 0) + 1
      }
    }
    return scope.timesShown
  })
}

type Shown = { readonly title: string; readonly body: string; readonly lang: string; readonly tag: string; readonly silent: boolean }
export const notifications = (page: Page): Promise<Shown[]> =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready
    return (await registration.getNotifications()).map(({ title, body, lang, tag, silent }) => ({
      title,
      body,
      lang,
      tag,
      silent: silent === true,
    }))
  })

/** Sets the hour of the device's clock. */
export async function setHour({ context }: Visit, hour: number): Promise<void> {
  await context.serviceWorkers()[0]?.evaluate((now) => {
    Date.prototype.getHours = () => now
  }, hour)
}

/** Taps the notification, or one of its buttons, and answers where it leads. The tap is simulated: Chromium opens and focuses windows for real taps only. */
export function tapNotification({ context }: Visit, action = ''): Promise<string[]> {
  const [worker] = context.serviceWorkers()
  if (worker === undefined) throw new Error('no service worker is running')
  return worker.evaluate(async (pressed) => {
    type Scope = {
      readonly registration: ServiceWorkerRegistration
      readonly clients: { openWindow: (address: string) => Promise<null> }
      readonly WindowClient: { readonly prototype: { focus: () => Promise<void> } }
      readonly NotificationEvent: new (type: string, init: object) => Event
    }
    const scope = globalThis as unknown as Scope
    const led: string[] = []
    scope.clients.openWindow = async (address) => {
      led.push(`opens ${address}`)
      return null
    }
    scope.WindowClient.prototype.focus = async function (this: { readonly url: string }) {
      led.push(`goes to ${new URL(this.url).pathname}`)
    }
    const [notification] = await scope.registration.getNotifications()
    const event = new scope.NotificationEvent('notificationclick', { notification, action: pressed })
    let work: Promise<unknown> = Promise.resolve()
    Object.defineProperty(event, 'waitUntil', { value: (given: Promise<unknown>) => (work = given) })
    dispatchEvent(event)
    await work
    return led
  }, action)
}
