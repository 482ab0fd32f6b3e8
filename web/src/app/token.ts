/**
 * The bearer token in the browser's storage.
 * - The members' token is in localStorage under `token`. The portal's is in sessionStorage and ends with the tab.
 * - Neither side reads the other's token.
 * - Where storage is blocked or full, the token is kept in memory.
 */
import { inPortal } from './portal.ts'

const PORTAL_KEY = 'admin-token'
const KEY = inPortal ? PORTAL_KEY : 'token'
const storage = (): Storage => (inPortal ? sessionStorage : localStorage)
let fallback: string | undefined
let endings = 0

function removeStored(): void {
  try {
    storage().removeItem(KEY)
  } catch {
    // Storage is blocked, so nothing was stored.
  }
}

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
      // If the browser cannot store the token, the login lasts until the page unloads.
      removeStored()
      fallback = value
    }
  },
  /** Counts the sessions that ended on this page. A password change keeps the session, and replaces its token. */
  endings: (): number => endings,
  clear: (): void => {
    endings++
    fallback = undefined
    removeStored()
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
