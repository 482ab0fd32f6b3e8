/**
 * The signed-in account of this page.
 * - The token and this state change together.
 * - This state only decides what is drawn: the server authorizes every call.
 */
import { LANGUAGES, type Language } from '@roz/core/language.ts'
import type { RunningAnnouncement, User } from '@roz/contract/shapes.ts'
import { useSyncExternalStore } from 'react'
import { ApiError, call, isUnanswered, READ_WITHIN_MS } from './api.ts'
import { takeFirstAnswer } from './first-answer.ts'
import { adoptLanguage } from './language.ts'
import { forgetOwn } from './own-memory.ts'
import { inPortal } from './portal.ts'
import { forgetDevice, keepDevice } from '../pwa/device.ts'
import { queryClient } from './query.ts'
import { token } from './token.ts'
import { chosenLanguage } from './first-language.ts'

type Session =
  /** `isLate`: nobody has answered for 30 s. The attempts go on. */
  | { readonly status: 'loading'; readonly isLate?: true }
  | { readonly status: 'anonymous' }
  | { readonly status: 'member'; readonly user: User; readonly announcements: readonly RunningAnnouncement[] }
  | { readonly status: 'admin'; readonly user: User }

let current: Session = { status: 'loading' }
/** Ends the running attempt to load the account, or the wait before the next one. */
let attempt = new AbortController()
const listeners = new Set<() => void>()

function change(next: Session): void {
  current = next
  for (const listener of listeners) listener()
}

type Opened = { readonly user: User; readonly announcements: readonly RunningAnnouncement[] }
const sessionOf = ({ user, announcements }: Opened): Session =>
  user.role === 'admin' ? { status: 'admin', user } : { status: 'member', user, announcements }

/** The browser's choice of language is saved to the member's account, for mails. Without a choice, the browser follows the account. */
async function alignLanguage(user: User): Promise<void> {
  const chosen = chosenLanguage()
  // An older server sends no language; a newer one may send a language that this app does not know.
  if (!LANGUAGES.includes(user.language)) return
  // If the catalogue fails to load, the language stays.
  if (chosen === undefined) await adoptLanguage(user.language).catch(() => undefined)
  else if (user.role === 'member' && chosen !== user.language) await saveLanguage(chosen)
}

/** Waits before the next attempts to load the account. The last one repeats. A deploy takes a few seconds. */
const AGAIN_AFTER_MS = [500, 1000, 2000, 4000] as const

/** Resolves early when the wait is ended. */
const waitOr = (signal: AbortSignal, forMs: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, forMs)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/**
 * The account of the stored token. While nobody answers (a broken line, a timeout, a server that is starting again), it asks again.
 * Rejects with every other answer.
 */
async function loadAccount(): Promise<Opened> {
  for (let failures = 0; ; failures++) {
    attempt = new AbortController()
    const { signal } = attempt
    try {
      return await call('me', { made: takeFirstAnswer(), signal })
    } catch (error) {
      if (!signal.aborted && !isUnanswered(error)) throw error
    }
    await waitOr(signal, AGAIN_AFTER_MS[failures] ?? AGAIN_AFTER_MS.at(-1) ?? 0)
  }
}

/** Not in the portal: an administrator's session does not end a member's. */
function forgetMember(): void {
  if (inPortal) return
  forgetOwn()
  forgetDevice()
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
  /** Asks the server whose token is stored. A refusal clears the token. No answer is no refusal: the session stays `loading`. */
  start: async (): Promise<void> => {
    if (token.get() === undefined) {
      // The page may have been closed after the session ended and before every value was deleted.
      forgetMember()
      return change({ status: 'anonymous' })
    }
    const late = setTimeout(() => change({ status: 'loading', isLate: true }), READ_WITHIN_MS)
    try {
      const answer = await loadAccount()
      const { user } = answer
      change(sessionOf(answer))
      void alignLanguage(user)
      keepDevice(user.id)
    } catch {
      session.clear()
    } finally {
      clearTimeout(late)
    }
  },
  /** While the account loads: asks again at once. */
  askAgain: (): void => attempt.abort(),
  /** Call it once, before `start`. A page restored from the back/forward cache asks again. */
  watchPage: (): void => {
    window.addEventListener('online', session.askAgain)
    let left: string | undefined
    window.addEventListener('pagehide', () => {
      left = token.get()
    })
    window.addEventListener('pageshow', ({ persisted }) => {
      // The session has ended in another tab meanwhile, so this page may no longer show the member's data.
      if (persisted && token.get() !== left) return location.reload()
      // The browser aborted the attempt when the page was left.
      if (persisted) session.askAgain()
    })
  },
  /** After registration, login, Google login or a password change. */
  signIn: (answer: Opened & { readonly token: string }): void => {
    // Read first: an answer without a user must not leave a token behind.
    const next = sessionOf(answer)
    token.set(answer.token)
    // After a password change the same member stays on the same screen, so the cached answers stay valid.
    if (!('user' in current) || current.user.id !== answer.user.id) queryClient.clear()
    change(next)
    void alignLanguage(answer.user)
    keepDevice(answer.user.id)
  },
  /** Ends the session here at once, and at the server if the call succeeds. */
  signOut: async (): Promise<void> => {
    const ended = token.get() === undefined ? Promise.resolve() : call('logout').catch(() => undefined)
    session.clear()
    await ended
  },
  /** Ends the session here and deletes everything of the member from this browser. */
  clear: (): void => {
    token.clear()
    forgetMember()
    queryClient.clear()
    change({ status: 'anonymous' })
  },
  /** Takes a newer record of the same account, and the announcements if the answer has them. */
  setUser: (user: User, announcements?: readonly RunningAnnouncement[]): void => {
    if (current.status === 'admin') change({ status: 'admin', user })
    if (current.status === 'member') change({ status: 'member', user, announcements: announcements ?? current.announcements })
  },
  /** The balance from the latest answer. The browser never computes a balance. */
  setBalance: (balance: number): void => {
    if (current.status === 'member') change({ ...current, user: { ...current.user, wallet: { ...current.user.wallet, balance } } })
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
  throw new Error('a member’s screen was rendered without a signed-in member')
}
