/** A thread that works on the day's list: opening a million keys beside the server, not before it. */
import { parentPort, workerData } from 'node:worker_threads'
import { createSecrets, type SecretKeys } from '../secrets.ts'
import { type FlatList, fillList, type ListPage, pageOf, type SealedKeys, sortList } from './flat-list.ts'

export type ListWork =
  | { readonly kind: 'fill'; readonly from: number; readonly keys: SealedKeys }
  | { readonly kind: 'sort' }
  | { readonly kind: 'page'; readonly page: number }
export type ListWorkerData = { readonly list: FlatList; readonly secretKeys: SecretKeys }
/** One for each piece of work, in order. */
export type ListWorkDone = { readonly page: ListPage | undefined } | { readonly error: unknown }

const { list, secretKeys } = workerData as ListWorkerData
const secrets = createSecrets(secretKeys)

function run(work: ListWork): ListPage | undefined {
  if (work.kind === 'page') return pageOf(list, work.page)
  if (work.kind === 'fill') fillList(list, secrets, work.from, work.keys)
  else sortList(list)
  return undefined
}

parentPort?.on('message', (work: ListWork) => {
  let done: ListWorkDone
  try {
    done = { page: run(work) }
  } catch (error) {
    done = { error }
  }
  const page = 'page' in done ? done.page : undefined
  parentPort?.postMessage(done, page === undefined ? [] : [page.members.buffer as ArrayBuffer, page.tickets.buffer as ArrayBuffer])
})
