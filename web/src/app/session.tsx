/**
 * Who is signed in. Invariant: the token and this state change together; the server judges every
 * call, this only decides what is drawn (spec section 4, Auth).
 */
import { LANGUAGES, type Language } from '@roz/core/language.ts'
import type { User } from '@roz/contract/shapes.ts'
import { useSyncExternalStore } from 'react'
import { ApiError, call } from './api.ts'
import { takeFirstAnswer } from './first-answer.ts'
import { adoptLanguage } from './language.ts'
import { dropDevice, forgetDevice, keepDevice } from '../pwa/device.ts'
import { queryClient } from './query.ts'
import { token } from './token.ts'
import { chosenLanguage } from './catalogues.ts'

export type Session =
  | { readonly status: 'loading' }
  | { readonly status: 'anonymous' }
  | { readonly status: 'member'; readonly user: User }
  | { readonly status: 'admin'; readonly user: User }

let current: Session = { status: 'loading' }
/** This page is being left: what it asked for breaks off then, and nobody has failed. */
let leaving = false
const listeners = new Set<() => void>()

function change(next: Session): void {
  current = next
  for (const listener of listeners) listener()
}

const sessionOf = (user: User): Session => ({ status: user.role === 'admin' ? 'admin' : 'member', user })

/** The member's language follows the choice of this browser, for mails; where there is none it is followed. */
async function alignLanguage(user: User): Promise<void> {
  const chosen = chosenLanguage()
  // Without its words the language stays as it is.
  if (chosen === undefined) await adoptLanguage(user.language).catch(() => undefined)
  else if (user.role === 'member' && chosen !== user.language) await saveLanguage(chosen)
}

async function saveLanguage(language: Language): Promise<void> {
  try {
    await call('updateProfile', { body: { language } })
  } catch (error) {
    if (!(error instanceof ApiError)) console.warn('Failed to save the language:', error)
  }
}

export const session = {
  get: (): Session => current,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  /** Asks who the stored token belongs to. A failure clears the token (spec section 8). */
  start: async (): Promise<void> => {
    if (token.get() === undefined) {
      // The page where the session ended may have been closed before it had let go of this device.
      dropDevice()
      return change({ status: 'anonymous' })
    }
    try {
      const { user } = await call('me', { made: takeFirstAnswer(), isPatient: true })
      change(sessionOf(user))
      void alignLanguage(user)
      keepDevice(user.id)
    } catch {
      if (!leaving) session.clear()
    }
  },
  /** Called once, before `start`. A page that comes back from the browser's cache asks again. */
  watchPage: (): void => {
    const leave = (): void => {
      leaving = true
    }
    window.addEventListener('beforeunload', leave)
    // Not every browser asks before it leaves, and none of a page that is closed by the system.
    window.addEventListener('pagehide', leave)
    window.addEventListener('pageshow', () => {
      if (leaving && current.status === 'loading') void session.start()
      leaving = false
    })
  },
  /** After register, login, Google or a changed password. */
  signIn: (answer: { readonly token: string; readonly user: User }): void => {
    // Read first: an answer without a user must leave no token behind.
    const next = sessionOf(answer.user)
    token.set(answer.token)
    // With a new password the same person goes on, on the screen where they stand: its answers stay theirs.
    if (!('user' in current) || current.user.id !== answer.user.id) queryClient.clear()
    change(next)
    void alignLanguage(answer.user)
    keepDevice(answer.user.id)
  },
  /** Ends the session here at once, and at the server as well as it can. */
  signOut: async (): Promise<void> => {
    const ended = token.get() === undefined ? Promise.resolve() : call('logout').catch(() => undefined)
    session.leave()
    await ended
  },
  /** The member's own wish to be gone from here. */
  leave: (): void => {
    forgetDevice()
    session.clear()
  },
  /** Forgets who was here; their results come back to this device when they do. */
  clear: (): void => {
    token.clear()
    dropDevice()
    queryClient.clear()
    change({ status: 'anonymous' })
  },
  /** Takes over a newer record of the same person. */
  setUser: (user: User): void => {
    if (current.status === 'member' || current.status === 'admin') change(sessionOf(user))
  },
  /** The balance as the last answer named it; never computed here. */
  setBalance: (balance: number): void => {
    if (current.status === 'member') change({ status: 'member', user: { ...current.user, wallet: { ...current.user.wallet, balance } } })
  },
  saveLanguage: async (language: Language): Promise<void> => {
    if (current.status === 'member' && LANGUAGES.includes(language)) await saveLanguage(language)
  },
} as const

export const useSession = (): Session => useSyncExternalStore(session.subscribe, session.get)

/** The signed-in member. Only for screens behind the member's guard. */
export function useMember(): User {
  const now = useSession()
  if (now.status === 'member') return now.user
  throw new Error('a member’s screen was drawn without a member')
}
