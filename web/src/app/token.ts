/**
 * The bearer token in the browser's storage. Invariants: members' lies under the spec's key; the portal's has a slot of
 * its own that ends with the tab, and neither side reads the other's. Storage may be closed: then memory serves.
 */
import { inPortal } from './portal.ts'

const PORTAL_KEY = 'admin-token'
const KEY = inPortal ? PORTAL_KEY : 'token'
const storage = (): Storage => (inPortal ? sessionStorage : localStorage)
let fallback: string | undefined

export const token = {
  get: (): string | undefined => {
    try {
      return storage().getItem(KEY) ?? fallback
    } catch {
      return fallback
    }
  },
  set: (value: string): void => {
    try {
      storage().setItem(KEY, value)
    } catch {
      // A browser that keeps nothing, or is full, still signs in for this page.
      token.clear()
      fallback = value
    }
  },
  clear: (): void => {
    fallback = undefined
    try {
      storage().removeItem(KEY)
    } catch {
      // Nothing was kept.
    }
  },
} as const

/** Whether an administrator is signed in in this tab. */
export function isPortalOpen(): boolean {
  try {
    return sessionStorage.getItem(PORTAL_KEY) !== null
  } catch {
    return false
  }
}
