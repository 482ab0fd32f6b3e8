/** Fixtures that the tests of a file share. Call these once, outside of every test. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

type Closable = { readonly close: () => unknown } | { readonly stop: () => unknown }

/** Opened before the first test of the file and closed after the last. Every read and write of the returned object reaches the opened one. */
export const perFile = <T extends Closable>(open: () => Promise<T>): T => standFor(open, beforeAll, afterAll)

/** Opened before each test and closed after it. */
export const perTest = <T extends Closable>(open: () => Promise<T>): T => standFor(open, beforeEach, afterEach)

type Hook = (work: () => Promise<void>) => void

function standFor<T extends Closable>(open: () => Promise<T>, before: Hook, after: Hook): T {
  let opened: T | undefined
  before(async () => {
    opened = await open()
  })
  after(async () => {
    const ended = opened
    opened = undefined
    if (ended !== undefined) await ('close' in ended ? ended.close() : ended.stop())
  })
  const current = (): T => {
    if (opened === undefined) throw new Error('it is open while a test runs')
    return opened
  }
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(current(), name) as unknown,
    set: (_, name, value) => Reflect.set(current(), name, value),
  })
}
