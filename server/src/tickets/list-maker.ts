/**
 * Makes the sorted ticket list of a day: a short one in place, a long one in a worker thread, so that the server stays responsive.
 * - Both ways run the same functions over the same bytes.
 * - A failure in the thread fails the close. `close` ends the thread.
 */
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Secrets } from '../secrets/secrets.ts'
import {
  type FlatList,
  fillList,
  type ListPage,
  makePage,
  newList,
  newPages,
  type Pages,
  type EncryptedKeys,
  shownOf,
  sortList,
} from './flat-list.ts'
import type { ListWork, ListWorkDone, ListWorkerData } from './list-worker.ts'

export type ListMaker = {
  /** Adds entrants in the order of their ids. Resolves when the maker can take more (back-pressure). */
  readonly fill: (keys: EncryptedKeys) => Promise<void>
  /** Call it once the list has as many entrants as the day has entries. */
  readonly sort: () => Promise<void>
  /** Makes the pages in order, at most PAGES_AT_ONCE ahead of the page being read. */
  readonly page: (page: number) => Promise<ListPage>
  readonly close: () => Promise<void>
}

/** Below this number of entries, starting a thread takes longer than making the list (about 10 ms). */
const THREAD_FROM = 2_000
/** Work items queued at the thread: one running, one waiting. */
const AHEAD = 2
const OLD_MB = 64
/**
 * V8's heap flags apply to every new thread and override its resource limits: a list of a million left 60 MB behind.
 * Existing heaps keep their sizes.
 */
const THREAD_FLAGS = ['--min-semi-space-size=1', '--max-semi-space-size=1', '--initial-old-space-size=0']
const WORKER = new URL('./list-worker.ts', import.meta.url)

export function createListMaker(secrets: Secrets, day: IstDay, count: number, options: { readonly threadFrom?: number } = {}): ListMaker {
  const pages = newPages(count)
  return count < (options.threadFrom ?? THREAD_FROM) ? makeHere(newList(day, pages), secrets) : makeInThread(day, pages, secrets)
}

function makeHere(list: FlatList, secrets: Secrets): ListMaker {
  let filled = 0
  return {
    fill: async (keys) => {
      fillList(list, secrets, filled, keys)
      filled += keys.count
    },
    sort: async () => sortList(list),
    page: async (page) => ({ root: makePage(list, page), ...shownOf(list, page) }),
    close: async () => undefined,
  }
}

/** A list of this size takes 5 MB, besides the keys read for it. */
const ROOM_FROM = 100_000
/**
 * A full garbage collection before a long list returns a busy day's memory to the system.
 * With a million entries it lowers the peak by 30 MB, for one pause of about 50 ms.
 */
const makeRoom = (): void => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })

/** The list is in the thread's own memory and is freed with the thread. */
function makeInThread(day: IstDay, pages: Pages, secrets: Secrets): ListMaker {
  if (pages.count >= ROOM_FROM) makeRoom()
  const thread = startThread({ day, pages, secretKeys: secrets.keys })
  const fills: Promise<unknown>[] = []
  let filled = 0
  return {
    fill: async (keys) => {
      const done = thread.run({ kind: 'fill', from: filled, keys })
      // Awaited by `sort`. Until then a failure must not be reported as an unhandled rejection.
      done.catch(() => undefined)
      filled += keys.count
      fills.push(done)
      await fills[fills.length - AHEAD]
    },
    sort: async () => {
      await Promise.all(fills)
      await thread.run({ kind: 'sort' })
    },
    page: async (page) => {
      const root = await thread.run({ kind: 'page', page })
      if (root === undefined) throw new Error('the thread made no page')
      return { root, ...shownOf(pages, page) }
    },
    close: async () => {
      await thread.stop()
    },
  }
}

type Waiting = { readonly resolve: (root: Uint8Array | undefined) => void; readonly reject: (error: unknown) => void }

function startThread(workerData: ListWorkerData) {
  for (const flag of THREAD_FLAGS) setFlagsFromString(flag)
  const worker = new Worker(WORKER, { workerData, resourceLimits: { maxOldGenerationSizeMb: OLD_MB } })
  const waiting: Waiting[] = []
  worker.on('message', (done: ListWorkDone) => {
    const next = waiting.shift()
    if ('error' in done) next?.reject(done.error)
    else next?.resolve(done.root)
  })
  const failAll = (error: unknown): void => {
    for (const { reject } of waiting.splice(0)) reject(error)
  }
  worker.on('error', failAll)
  worker.on('exit', () => failAll(new Error('the thread of the list ended before its work was done')))
  return {
    run: (work: ListWork): Promise<Uint8Array | undefined> =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject })
        worker.postMessage(work)
      }),
    stop: () => worker.terminate(),
  }
}
