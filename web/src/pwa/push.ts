/**
 * Push notifications of results on this device.
 * - The browser asks for permission only after a tap.
 * - The switch is on only if both the server and the browser have the subscription, and this member is the device's owner.
 */
import type { Api, Output } from '@roz/contract/api.ts'
import { call } from '../app/api.ts'
import { deviceOwner, deviceSettled, setDeviceOwner } from './device-owner.ts'
import { workerRegistration } from './worker-registration.ts'

/** `install`: iPhones and iPads allow push only for an app on the home screen. */
export type DeviceState = 'unsupported' | 'install' | 'blocked' | 'off' | 'on'

const READY_MS = 15_000
const KEY_BYTES = 65

function isAppleTouch(): boolean {
  return /iPhone|iPad|iPod/.test(navigator.userAgent) || (navigator.platform === 'MacIntel' && navigator.maxTouchPoints > 1)
}

function supported(): DeviceState | undefined {
  if ('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window) return undefined
  return isAppleTouch() && !matchMedia('(display-mode: standalone)').matches ? 'install' : 'unsupported'
}

export async function readDevice(memberId: string): Promise<DeviceState> {
  const cannot = supported()
  if (cannot !== undefined) return cannot
  const registration = await workerRegistration
  if (registration === undefined) return 'unsupported'
  if (Notification.permission === 'denied') return 'blocked'
  await deviceSettled()
  const { subscribed } = await call('pushState')
  const held = await registration.pushManager.getSubscription()
  return subscribed && held !== null && deviceOwner() === memberId ? 'on' : 'off'
}

/** Call it from a tap. It throws if the push service or the server cannot be reached. */
export async function turnOn(memberId: string): Promise<DeviceState> {
  const permission = await Notification.requestPermission()
  if (permission !== 'granted') return permission === 'denied' ? 'blocked' : 'off'
  await subscribe(await call('pushState'))
  setDeviceOwner(memberId)
  return 'on'
}

export async function turnOff(): Promise<DeviceState> {
  await call('unsubscribePush')
  setDeviceOwner(undefined)
  await dropSubscription()
  return 'off'
}

/** Runs after the app has opened or a session has begun. It never asks for permission. */
export async function renewSubscription(): Promise<void> {
  if (supported() !== undefined || Notification.permission !== 'granted') return
  const registration = await workerRegistration
  if (registration === undefined) return
  const known = await call('pushState')
  if (!known.wanted) {
    setDeviceOwner(undefined)
    return dropSubscription()
  }
  const held = await registration.pushManager.getSubscription()
  if (held === null || !isGood(held, known)) await subscribe(known)
}

export async function dropSubscription(): Promise<void> {
  const registration = await workerRegistration
  const held = await registration?.pushManager?.getSubscription()
  await held?.unsubscribe()
  // Closes notifications that are still shown: their results are the former member's.
  for (const shown of (await registration?.getNotifications?.()) ?? []) shown.close()
}

type Known = Pick<Output<Api['pushState']>, 'publicKey' | 'subscribed'>

async function subscribe(known: Known): Promise<void> {
  const { pushManager } = await inTime(navigator.serviceWorker.ready)
  const held = await pushManager.getSubscription()
  // Otherwise the browser returns the same subscription again, or refuses the new key.
  if (held !== null && !isGood(held, known)) await held.unsubscribe()
  const made = await inTime(pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(known.publicKey) }))
  const { endpoint = '', keys } = made.toJSON()
  await call('subscribePush', { body: { endpoint, keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' } } })
}

/** Some browsers never settle the promise if they reach no push service. */
function inTime<T>(work: Promise<T>): Promise<T> {
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error('the push service did not answer in time')), READY_MS)
  })
  return Promise.race([work, late])
}

function bytesOf(publicKey: string): Uint8Array<ArrayBuffer> {
  const text = atob(publicKey.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from({ length: KEY_BYTES }, (_, at) => text.charCodeAt(at))
}

/** If the server has no subscription, the push service may have reported this one as expired. */
function isGood(held: PushSubscription, { publicKey, subscribed }: Known): boolean {
  const key = held.options.applicationServerKey
  if (!subscribed || key === null) return false
  const given = new Uint8Array(key)
  return bytesOf(publicKey).every((byte, at) => byte === given[at])
}
