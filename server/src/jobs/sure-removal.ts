/**
 * Removes files for certain: if the store is away when a file's row is already gone, a job removes the file later.
 * A closed account's picture must not stay because of a minute without the store.
 */
import type { Storage } from '../adapters/storage/port.ts'
import type { Db } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { UnavailableError } from '../http/faults.ts'
import { enqueue } from './queue.ts'
import type { JobHandlers } from './worker.ts'

export function createSureRemoval(
  db: Db,
  storage: Storage,
): { readonly storage: Storage; readonly jobs: Pick<JobHandlers, 'remove_file'> } {
  const remove = async (name: string): Promise<void> => {
    try {
      await storage.remove(name)
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
      await inTransaction(db, (tx) => enqueue(tx, { kind: 'remove_file', key: name, payload: { name } }))
    }
  }
  return { storage: { ...storage, remove }, jobs: { remove_file: ({ name }) => storage.remove(name) } }
}
