/**
 * Removes files for certain: if the store is down when a file's row is already gone, a job removes the file later.
 * - A closed account's picture must not stay because of a minute without the store, or because the process ends after the commit.
 * - A store that does not answer may have kept the new file all the same, or keep it yet. No row will name it: a job removes it.
 */
import { type KeepingStorage, puttingBy, type Storage, UPLOADS_PATH } from '../adapters/storage/port.ts'
import { type Db, type Queryable, sql } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { UnavailableError } from '../http/faults.ts'
import { enqueue } from './queue.ts'
import type { JobHandlers } from './worker.ts'

/**
 * Gives up a file, with the transaction that ceases to name it. The caller removes the returned name after the commit; a job does so a
 * minute later, for a process that ended in between.
 */
export async function giveUpFile(tx: Tx, name: string): Promise<string> {
  await enqueue(tx, { kind: 'remove_file', key: name, payload: { name }, dueAt: await inAMinute(tx) })
  return name
}

/** Gives up our own picture at this address. A picture at another host is not ours. */
export const giveUpPicture = async (tx: Tx, address: string | null): Promise<string | undefined> =>
  address?.startsWith(UPLOADS_PATH) === true ? giveUpFile(tx, address.slice(UPLOADS_PATH.length)) : undefined

const inAMinute = async (from: Queryable): Promise<Date> =>
  (await from.one<{ at: Date }>(sql`select roz_now() + interval '1 minute' as at`)).at

export type Store = Pick<KeepingStorage, 'keep' | 'find' | 'remove'>

export function createSureRemoval(db: Db, store: Store): { readonly storage: Storage; readonly jobs: Pick<JobHandlers, 'remove_file'> } {
  const removeLater = (name: string, dueAt?: Date): Promise<void> =>
    inTransaction(db, (tx) => enqueue(tx, { kind: 'remove_file', key: name, payload: { name }, ...(dueAt === undefined ? {} : { dueAt }) }))

  const put = puttingBy(async (name, bytes) => {
    try {
      await store.keep(name, bytes)
    } catch (error) {
      // A request that the store still holds ends first.
      await removeLater(name, await inAMinute(db))
      throw error
    }
  })
  const remove: Storage['remove'] = async (name) => {
    try {
      await store.remove(name)
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
      await removeLater(name)
    }
  }
  return { storage: { put, find: store.find, remove }, jobs: { remove_file: ({ name }) => store.remove(name) } }
}
