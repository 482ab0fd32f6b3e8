/**
 * The server's clock in the browser. The device's clock may be wrong by hours; each answer about the round corrects the difference.
 * - Every date on a screen is a date of this clock.
 */
import { dayAt, type IstDay } from '@roz/core/ist-day.ts'
import { useSyncExternalStore } from 'react'

let skewMs = 0
const listeners = new Set<() => void>()
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function setServerTime(serverTime: string): number {
  skewMs = Date.parse(serverTime) - Date.now()
  for (const listener of listeners) listener()
  return skewMs
}

export const serverNowMs = (): number => Date.now() + skewMs

/** Today in India. Its components are drawn again when the server's time arrives. */
export const useServerDay = (): IstDay => useSyncExternalStore(subscribe, () => dayAt(serverNowMs()))
