/** Stores an uploaded file and names it in the database: both, or neither. */
import type { Storage, StorageFolder } from '../adapters/storage/port.ts'

type StoredUpload = {
  readonly folder: StorageFolder
  readonly bytes: Buffer
  /** Whether a row names the file. */
  readonly isNamed: (name: string) => Promise<boolean>
}

/** `write` names the file in a row. If `write` fails, the file is removed again, unless a commit named it whose answer was lost. */
export async function storeAndName<T>(
  storage: Storage,
  { folder, bytes, isNamed }: StoredUpload,
  write: (name: string) => Promise<T>,
): Promise<T> {
  const name = await storage.put(folder, 'webp', bytes)
  try {
    return await write(name)
  } catch (error) {
    // The first error says what happened. If the database cannot answer, an unused file is the smaller loss.
    const isUnused = await isNamed(name).then(
      (named) => !named,
      () => false,
    )
    if (isUnused) await storage.remove(name)
    throw error
  }
}
