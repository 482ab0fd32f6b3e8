/**
 * Makes the sorted list of a day: a short one where it is asked for, a long one in a thread, so that
 * the server answers meanwhile. Invariant: both run the same functions over the same bytes; a failure
 * in the thread fails the sealing, and no thread outlives it.
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
  type SealedKeys,
  shownOf,
  sortList,
} from './flat-list.ts'
import type { ListWork, ListWorkDone, ListWorkerData } from './list-worker.ts'

export type ListMaker = {
  /** Adds entrants in the order of their ids; resolves when the maker can take more. */
  readonly fill: (keys: SealedKeys) => Promise<void>
  /** Once as many are in as the day has entries. */
  readonly sort: () => Promise<void>
  /** One page after the other, at most PAGES_AT_ONCE in the making beside the one that is read. */
  readonly page: (page: number) => Promise<ListPage>
  readonly close: () => Promise<void>
}

/** Below this a thread takes longer to start than the list to make: about ten milliseconds. */
const THREAD_FROM = 2_000
/** Pieces of work that the thread has before it: one that it works on, one that waits. */
const AHEAD = 2
const OLD_MB = 64
/**
 * What the program's flags say of its heap counts in every thread, above the limits of that thread: a
 * list of a million left sixty megabytes of them behind. Heaps that stand already are left as they are.
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

/** A list of so many takes five megabytes, beside what is read for it. */
const ROOM_FROM = 100_000
/**
 * The heap is looked through as a whole, and what a busy day has left in it goes back to the system before
 * the list comes: of a million entries thirty megabytes less at the most, for one pause of some fifty milliseconds.
 */
const makeRoom = (): void => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })

/** The list lies in the thread's own memory, and goes with it. */
function makeInThread(day: IstDay, pages: Pages, secrets: Secrets): ListMaker {
  if (pages.count >= ROOM_FROM) makeRoom()
  const thread = startThread({ day, pages, secretKeys: secrets.keys })
  const fills: Promise<unknown>[] = []
  let filled = 0
  return {
    fill: async (keys) => {
      const done = thread.run({ kind: 'fill', from: filled, keys })
      // Looked at by sort(); until then a failure must not count as one that nobody waits for.
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
  worker.on('exit', () => failAll(new Error('a thread of the list ended before its work')))
  return {
    run: (work: ListWork): Promise<Uint8Array | undefined> =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject })
        worker.postMessage(work)
      }),
    stop: () => worker.terminate(),
  }
}
