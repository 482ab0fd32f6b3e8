/**
 * Opens the database of an operator's command: DATABASE_URL, else the local database under DATA_DIR.
 * - A local database that a server already runs is shared and stays running.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { auditSettings, type Environment } from '../config/config.ts'
import { Settings } from '../config/settings.ts'
import { startPostgres } from '../db/embedded/embedded.ts'

export type CommandTarget = {
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  readonly namedStatements: boolean
  /** Prints a line for the operator. */
  readonly say: (line: string) => void
}

/** Runs `work` with a URL of the server's role. Where there is no database, it prints the reason and returns undefined. */
export async function onDatabase<T>(
  { databaseUrl, dataDir, say }: CommandTarget,
  work: (url: string) => Promise<T>,
): Promise<T | undefined> {
  if (databaseUrl !== undefined) return work(databaseUrl)
  const folder = path.join(dataDir, 'postgres')
  if (!existsSync(path.join(folder, 'cluster'))) {
    say(`There is no database under ${dataDir}: name its folder by DATA_DIR, or its address by DATABASE_URL.`)
    return undefined
  }
  const local = await startPostgres({ dataDir: folder, log: () => undefined })
  try {
    return await work(local.appUrl)
  } finally {
    await local.stop()
  }
}

export type OwnersDatabase = { readonly url: string; readonly close: () => Promise<void> }

/** The same database with a URL of its owner: the role of the server may neither read sequences nor change tables. */
export async function openOwner(env: Environment): Promise<OwnersDatabase> {
  const { databaseUrl, dataDir } = auditSettings(env)
  if (databaseUrl !== undefined) {
    const url = new Settings(env).postgresUrl('MIGRATE_DATABASE_URL') ?? databaseUrl
    return { url, close: async () => undefined }
  }
  const folder = path.join(dataDir, 'postgres')
  if (!existsSync(path.join(folder, 'cluster')))
    throw new Error('there is no database: name its folder by DATA_DIR, or its address by DATABASE_URL')
  const local = await startPostgres({ dataDir: folder, log: () => undefined })
  return { url: local.ownerUrl, close: local.stop }
}
