/**
 * Opens the database of an operator's command: DATABASE_URL, else the local database under DATA_DIR.
 * - A local database that a server already runs is shared and stays running.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { auditSettings, type Environment } from '../config/config.ts'
import { Settings } from '../config/settings.ts'
import { startPostgres } from '../db/embedded/embedded.ts'
import { connect, DatabaseUnavailableError, type Db, sqlState } from '../db/sql.ts'
import { ENCRYPTED_COLUMNS } from '../encrypted-columns.ts'
import { inWords, listUnreadable } from '../secrets/reencryption.ts'
import { findSecretKey } from '../secrets/secret-key.ts'
import { createSecrets, type Secrets } from '../secrets/secrets.ts'

export type CommandTarget = {
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  readonly namedStatements: boolean
  /** Prints a line for the operator. */
  readonly say: (line: string) => void
}

export type SecretTarget = CommandTarget & { readonly secretKey: string | undefined; readonly secretKeyOld: string | undefined }

/** A command makes no key: the server would not know it. */
export async function secretsOf({ dataDir, secretKey, secretKeyOld }: SecretTarget): Promise<Secrets> {
  const known = secretKey ?? (await findSecretKey(dataDir))
  if (known === undefined)
    throw new Error(`there is no key: set SECRET_KEY, or DATA_DIR to the folder with its file secret-key, not ${dataDir}`)
  return createSecrets({ secretKey: known, secretKeyOld })
}

/**
 * The secrets of a command that writes encrypted values. Under another key than the server's no server would start afterwards.
 * Damaged ticket keys do not count: such a command mends them.
 */
export async function sameSecrets(target: SecretTarget, db: Db): Promise<Secrets> {
  const secrets = await secretsOf(target)
  const columns = ENCRYPTED_COLUMNS.filter(({ name }) => name !== 'ticket keys')
  const unreadable = await listUnreadable(db, secrets, columns)
  if (unreadable.length > 0)
    throw new Error(`${inWords(unreadable)} of this database are encrypted with a key that is neither SECRET_KEY nor SECRET_KEY_OLD`)
  return secrets
}

/** Runs `work` as the server's role on a connection named after the command. Without a database it prints the reason: undefined. */
export async function onDatabase<T>(
  { databaseUrl, dataDir, namedStatements, say }: CommandTarget,
  { name, ...options }: { readonly name: string; readonly queryTimeoutMs?: number },
  work: (db: Db) => Promise<T>,
): Promise<T | undefined> {
  const workAt = async (url: string): Promise<T> => {
    const db = connect({ url, max: 1, named: namedStatements, applicationName: `roz-${name}`, ...options })
    try {
      return await work(db)
    } finally {
      await db.close()
    }
  }
  if (databaseUrl !== undefined) return workAt(databaseUrl)
  const folder = path.join(dataDir, 'postgres')
  if (!existsSync(path.join(folder, 'cluster'))) {
    say(`There is no database under ${dataDir}: name its folder by DATA_DIR, or its address by DATABASE_URL.`)
    return undefined
  }
  const local = await startPostgres({ dataDir: folder, log: () => undefined })
  try {
    return await workAt(local.appUrl)
  } finally {
    await local.stop()
  }
}

/** The exit code of work on the database; 2 where it could not run, with the words for it. */
export async function exitCodeOnDatabase(
  target: CommandTarget,
  options: Parameters<typeof onDatabase>[1],
  work: (db: Db) => Promise<0 | 1>,
  failed: (why: string) => string,
): Promise<0 | 1 | 2> {
  try {
    return (await onDatabase(target, options, work)) ?? 2
  } catch (error) {
    target.say(failed(reasonOf(error)))
    return 2
  }
}

const UNDEFINED_TABLE = '42P01'

/** In words: of a lost database also the address that did not answer. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, cause } = error
  if (sqlState(error) === UNDEFINED_TABLE) return `${message}: no server has started on this database, or one of another version`
  return error instanceof DatabaseUnavailableError && cause instanceof Error ? `${message} (${cause.message})` : message
}

type OwnersDatabase = { readonly url: string; readonly close: () => Promise<void> }

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
