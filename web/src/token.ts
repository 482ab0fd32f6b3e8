/** The bearer token in the browser's storage, under the spec's key. Storage may be closed: then memory serves. */
const KEY = 'token'
let fallback: string | undefined

export const token = {
  get: (): string | undefined => {
    try {
      return localStorage.getItem(KEY) ?? fallback
    } catch {
      return fallback
    }
  },
  set: (value: string): void => {
    try {
      localStorage.setItem(KEY, value)
    } catch {
      // A browser that keeps nothing, or is full, still signs in for this page.
      token.clear()
      fallback = value
    }
  },
  clear: (): void => {
    fallback = undefined
    try {
      localStorage.removeItem(KEY)
    } catch {
      // Nothing was kept.
    }
  },
} as const
