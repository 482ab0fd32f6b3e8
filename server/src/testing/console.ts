/** Fails every test that calls console.error: an error that nobody reads would hide a bug. */
import { afterEach, beforeEach, expect, vi } from 'vitest'

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})

afterEach(() => {
  const calls = vi.isMockFunction(console.error) ? vi.mocked(console.error).mock.calls : []
  vi.restoreAllMocks()
  expect(calls, 'console.error was called').toEqual([])
})
