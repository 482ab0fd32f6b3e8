/**
 * Files in a folder of this machine (DATA_DIR/uploads).
 * - A file appears under its name only when all its bytes are on the disk (temporary file, fsync, rename, fsync of the folder).
 * - A name from outside reaches the file system only if it has exactly the form that `put` makes.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, unlink } from 'node:fs/promises'
import path from 'node:path'
import { UnavailableError } from '../../http/faults.ts'
import { CONTENT_TYPE, isStoredName, type KeepingStorage, puttingBy } from './port.ts'

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Runs work on the disk. A full, read-only or broken disk is a temporary fault. */
async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new UnavailableError('the folder of uploads cannot be used', { cause: error })
  }
}
const unlessMissing = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })

async function flushFolder(folder: string): Promise<void> {
  // Windows cannot open a folder; there the rename itself is written through.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function writeWhole(file: string, bytes: Buffer): Promise<void> {
  const folder = path.dirname(file)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const temporary = path.join(folder, `.${randomBytes(8).toString('hex')}.part`)
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await flushFolder(folder)
}

export function createFileStorage(options: { readonly folder: string }): KeepingStorage {
  const fileOf = (name: string): string | undefined => (isStoredName(name) ? path.join(options.folder, name) : undefined)
  const keep: KeepingStorage['keep'] = async (name, bytes) => {
    const file = fileOf(name)
    if (file === undefined) throw new Error('not the name of a stored file')
    await onDisk(() => writeWhole(file, bytes))
  }
  return {
    keep,
    put: puttingBy(keep),
    find: async (name) => {
      const file = fileOf(name)
      const bytes = file === undefined ? undefined : await onDisk(() => unlessMissing(readFile(file)))
      return bytes && { bytes, contentType: CONTENT_TYPE }
    },
    remove: async (name) => {
      const file = fileOf(name)
      if (file !== undefined) await onDisk(() => unlessMissing(unlink(file)))
    },
  }
}
