/**
 * Removes files for certain: if the store is away when a file's row is already gone, a job removes the file later.
 * - A closed account's picture must not stay because of a minute without the store.
 * - A store that does not answer may have kept the new file all the same, or keep it yet. No row will name it: a job removes it.
 */
import { type MovableStorage, puttingBy, type Storage } from '../adapters/storage/port.ts'
import { type Db, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { UnavailableError } from '../http/faults.ts'
import { enqueue } from './queue.ts'
import type { JobHandlers } from './worker.ts'

export type Store = Pick<MovableStorage, 'keep' | 'find' | 'remove'>

export function createSureRemoval(db: Db, store: Store): { readonly storage: Storage; readonly jobs: Pick<JobHandlers, 'remove_file'> } {
  const removeLater = (name: string, dueAt?: Date): Promise<void> =>
    inTransaction(db, (tx) => enqueue(tx, { kind: 'remove_file', key: name, payload: { name }, ...(dueAt === undefined ? {} : { dueAt }) }))

  const put = puttingBy(async (name, bytes) => {
    try {
      await store.keep(name, bytes)
    } catch (error) {
      // A request that the store still holds ends first.
      const [due] = await db.query<{ at: Date }>(sql`select roz_now() + interval '1 minute' as at`)
      await removeLater(name, due?.at)
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
