/**
 * Storage of uploaded files.
 * - A name never changes its content: names are unguessable and used once, so a file may be cached for ever.
 * - A file is stored whole or not at all.
 */
/** Path of a stored file on the server, as the API shows it: `/uploads/avatars/<32 hex>.webp`. */
export const UPLOADS_PATH = '/uploads/'

export type StoredFile = { readonly bytes: Buffer; readonly contentType: string }

/** Folders of the storage. */
export type StorageFolder = 'avatars' | 'posters' | 'receipts'

export type Storage = {
  /** Stores the bytes under a new unguessable name and returns it: `avatars/<32 hex>.webp`. */
  readonly put: (folder: StorageFolder, extension: 'webp', bytes: Buffer) => Promise<string>
  /** Undefined if there is no such file. */
  readonly find: (name: string) => Promise<StoredFile | undefined>
  /** Removing a missing file is no error. */
  readonly remove: (name: string) => Promise<void>
}
