/**
 * The secret key of a server without the setting SECRET_KEY.
 * - It is made once and kept in DATA_DIR with mode 0600. It is never printed.
 * - Two simultaneous starts get the same key.
 */
import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

const fileIn = (dataDir: string): string => path.join(dataDir, 'secret-key')

/** Returns the key. `link` fails where the file exists, so the first of two simultaneous starts decides. */
export async function ensureSecretKey(dataDir: string): Promise<string> {
  const file = fileIn(dataDir)
  const known = await findSecretKey(dataDir)
  if (known !== undefined) return known
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, randomBytes(32).toString('hex'), { mode: 0o600, flush: true })
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  return readFile(file, 'utf8')
}

/** Undefined where no start has made a key yet. */
export const findSecretKey = (dataDir: string): Promise<string | undefined> =>
  readFile(fileIn(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
