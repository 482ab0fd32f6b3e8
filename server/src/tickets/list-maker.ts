/**
 * Makes the sorted list of a day: a short one where it is asked for, a long one in threads, so that
 * the server answers meanwhile. Invariant: both run the same functions over the same bytes; a failure
 * in a thread fails the sealing, and no thread outlives it.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Secrets } from '../secrets.ts'
import { type FlatList, fillList, type ListPage, makePage, newList, type SealedKeys, shownOf, sortList } from './flat-list.ts'
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
const THREADS_FROM = 2_000
const THREADS_MAX = 2
/** Pieces of work that a thread has before it: one that it works on, one that waits. */
const AHEAD = 2
/** What a thread throws away is bytes outside of its heap: collected often, or it piles up to a hundred megabytes. */
const YOUNG_MB = 2
const OLD_MB = 64
const WORKER = new URL('./list-worker.ts', import.meta.url)

export function createListMaker(secrets: Secrets, day: IstDay, count: number, options: { readonly threadsFrom?: number } = {}): ListMaker {
  const list = newList(day, count)
  return count < (options.threadsFrom ?? THREADS_FROM) ? makeHere(list, secrets) : makeInThreads(list, secrets)
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

function makeInThreads(list: FlatList, secrets: Secrets): ListMaker {
  const workerData: ListWorkerData = { list, secretKeys: secrets.keys }
  const threads = Array.from({ length: Math.min(THREADS_MAX, availableParallelism()) }, () => startThread(workerData))
  const least = () => threads.reduce((best, thread) => (thread.queued() < best.queued() ? thread : best))
  const fills: Promise<unknown>[] = []
  let filled = 0
  return {
    fill: async (keys) => {
      const thread = least()
      const done = thread.run({ kind: 'fill', from: filled, keys })
      // Looked at by sort(); until then a failure must not count as one that nobody waits for.
      done.catch(() => undefined)
      filled += keys.count
      fills.push(done)
      if (fills.length >= threads.length * AHEAD) await fills[fills.length - threads.length * AHEAD]
    },
    sort: async () => {
      await Promise.all(fills)
      await least().run({ kind: 'sort' })
    },
    page: async (page) => {
      const root = await least().run({ kind: 'page', page })
      if (root === undefined) throw new Error('a thread made no page')
      return { root, ...shownOf(list, page) }
    },
    close: async () => {
      await Promise.all(threads.map((thread) => thread.stop()))
    },
  }
}

type Waiting = { readonly resolve: (root: Uint8Array | undefined) => void; readonly reject: (error: unknown) => void }

function startThread(workerData: ListWorkerData) {
  const worker = new Worker(WORKER, { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: OLD_MB } })
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
    queued: () => waiting.length,
    run: (work: ListWork): Promise<Uint8Array | undefined> =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject })
        worker.postMessage(work)
      }),
    stop: () => worker.terminate(),
  }
}
