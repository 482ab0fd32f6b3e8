import { afterEach, expect, test, vi } from 'vitest'
import { token } from './token.ts'

afterEach(() => vi.unstubAllGlobals())

/** A browser's storage that takes nothing more, and still gives what it has. */
const full = (kept: Map<string, string>) => ({
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: () => {
    throw new DOMException('no room', 'QuotaExceededError')
  },
  removeItem: (key: string) => void kept.delete(key),
})

test('where storage is full the newest token counts for this page, and none after a logout', () => {
  vi.stubGlobal('localStorage', full(new Map([['token', 'older']])))
  expect(token.get()).toBe('older')
  token.set('newer')
  expect(token.get()).toBe('newer')
  token.clear()
  expect(token.get()).toBeUndefined()
})
