/** The worker thread of a day's list: it decrypts up to a million keys without blocking the server's event loop. */
import { parentPort, workerData } from 'node:worker_threads'
import type { IstDay } from '@roz/core/ist-day.ts'
import { createSecrets, type SecretKeys } from '../secrets/secrets.ts'
import { fillList, makePage, newList, type Pages, type EncryptedKeys, sortList } from './flat-list.ts'

export type ListWork =
  | { readonly kind: 'fill'; readonly from: number; readonly keys: EncryptedKeys }
  | { readonly kind: 'sort' }
  | { readonly kind: 'page'; readonly page: number }
export type ListWorkerData = { readonly day: IstDay; readonly pages: Pages; readonly secretKeys: SecretKeys }
/** One reply for each work item, in order. */
export type ListWorkDone = { readonly root: Uint8Array | undefined } | { readonly error: unknown }

const { day, pages, secretKeys } = workerData as ListWorkerData
const list = newList(day, pages)
const secrets = createSecrets(secretKeys)

function run(work: ListWork): Uint8Array | undefined {
  if (work.kind === 'page') return makePage(list, work.page)
  if (work.kind === 'fill') fillList(list, secrets, work.from, work.keys)
  else sortList(list)
  return undefined
}

parentPort?.on('message', (work: ListWork) => {
  let done: ListWorkDone
  try {
    done = { root: run(work) }
  } catch (error) {
    done = { error }
  }
  parentPort?.postMessage(done)
})
