/** The database that a command of the operator works on: of DATABASE_URL, or the local one, which is joined where it runs and left running. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { startPostgres } from '../db/embedded/embedded.ts'

export type CommandTarget = {
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  readonly namedStatements: boolean
  /** A line for the person who asked. */
  readonly say: (line: string) => void
}

/** Works on the server's own role's address; undefined, with a word why, where there is no database. */
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
