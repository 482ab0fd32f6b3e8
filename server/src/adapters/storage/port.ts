/**
 * Files that members and staff upload. Invariant: a name never changes its content (names are
 * unguessable and used once), so that a file may be cached for ever; a file is there whole or not at all.
 */
/** The path below the server of a stored file, as the API shows it: `/uploads/avatars/<32 hex>.webp`. */
export const UPLOADS_PATH = '/uploads/'

export type StoredFile = { readonly bytes: Buffer; readonly contentType: string }

/** Where a file belongs: each folder has its own readers. */
export type StorageFolder = 'avatars'

export type Storage = {
  /** Stores the bytes under a new unguessable name and answers it: `avatars/<32 hex>.webp`. */
  readonly put: (folder: StorageFolder, extension: 'webp', bytes: Buffer) => Promise<string>
  /** Undefined when there is no such file. */
  readonly find: (name: string) => Promise<StoredFile | undefined>
  /** Removing what is not there is no error. */
  readonly remove: (name: string) => Promise<void>
}
