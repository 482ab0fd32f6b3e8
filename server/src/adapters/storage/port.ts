/**
 * Storage of uploaded files.
 * - A name never changes its content: names are unguessable and used once, so a file may be cached for ever.
 * - A file is stored whole or not at all.
 * - A store that is down or refuses fails with UnavailableError: the call answers 503, and may be repeated.
 */
import { randomBytes } from 'node:crypto'

/** Path of a stored file on the server, as the API shows it: `/uploads/avatars/<32 hex>.webp`. */
export const UPLOADS_PATH = '/uploads/'

type StoredFile = { readonly bytes: Buffer; readonly contentType: string }

/** Folders of the storage. `receipts`: bills and pictures of follow-ups, which a call of their own serves. */
const STORAGE_FOLDERS = ['avatars', 'posters', 'receipts'] as const
export type StorageFolder = (typeof STORAGE_FOLDERS)[number]
export const CONTENT_TYPE = 'image/webp'

const NAME = /^(avatars|posters|receipts)\/[0-9a-f]{32}\.webp$/
/** True for exactly the names that `put` makes. No other name reaches a store. */
export const isStoredName = (name: string): boolean => NAME.test(name)
const newName = (folder: StorageFolder, extension: 'webp'): string => `${folder}/${randomBytes(16).toString('hex')}.${extension}`

export type Storage = {
  /** Stores the bytes under a new unguessable name and returns it: `avatars/<32 hex>.webp`. */
  readonly put: (folder: StorageFolder, extension: 'webp', bytes: Buffer) => Promise<string>
  /** Undefined if there is no such file. */
  readonly find: (name: string) => Promise<StoredFile | undefined>
  /** Removing a missing file is no error. */
  readonly remove: (name: string) => Promise<void>
}

/** Stores new files by `keep`. */
export const puttingBy =
  (keep: KeepingStorage['keep']): Storage['put'] =>
  async (folder, extension, bytes) => {
    const name = newName(folder, extension)
    await keep(name, bytes)
    return name
  }

/** A storage that also keeps bytes under a given name, as a job that repeats a write does. */
export type KeepingStorage = Storage & {
  /** Stores the bytes under a name that `put` could have made. */
  readonly keep: (name: string, bytes: Buffer) => Promise<void>
}
