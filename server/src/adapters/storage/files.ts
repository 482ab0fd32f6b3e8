/**
 * Files in a folder of this machine (DATA_DIR/uploads).
 * - A file appears under its name only when all its bytes are on the disk (temporary file, fsync, rename, fsync of the folder).
 * - A name from outside reaches the file system only if it has exactly the form that `put` makes.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, unlink } from 'node:fs/promises'
import path from 'node:path'
import type { Storage } from './port.ts'

const NAME = /^(avatars|posters|receipts)\/[0-9a-f]{32}\.webp$/
const CONTENT_TYPES = { webp: 'image/webp' } as const

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

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

export function createFileStorage(options: { readonly folder: string }): Storage {
  const fileOf = (name: string): string | undefined => (NAME.test(name) ? path.join(options.folder, name) : undefined)
  return {
    put: async (folder, extension, bytes) => {
      const name = `${folder}/${randomBytes(16).toString('hex')}.${extension}`
      await writeWhole(path.join(options.folder, name), bytes)
      return name
    },
    find: async (name) => {
      const file = fileOf(name)
      if (file === undefined) return undefined
      try {
        return { bytes: await readFile(file), contentType: CONTENT_TYPES.webp }
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },
    remove: async (name) => {
      const file = fileOf(name)
      if (file === undefined) return
      await unlink(file).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      })
    },
  }
}
