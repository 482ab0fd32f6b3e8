/**
 * Keeps the first administrator's generated password, where ADMIN_PASSWORD is not set.
 * - The file is in DATA_DIR with mode 0600, so that each start can print the password.
 * - Production never uses it: there ADMIN_PASSWORD is required.
 */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

const fileIn = (dataDir: string): string => path.join(dataDir, 'admin-password')

export const adminPassword = (dataDir: string): Promise<string | undefined> =>
  readFile(fileIn(dataDir), 'utf8').then(
    (text) => text.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    },
  )

export const keepAdminPassword = (dataDir: string, password: string): Promise<void> =>
  writeFile(fileIn(dataDir), `${password}\n`, { mode: 0o600, flush: true })
