/**
 * Makes the three roles of the local database and keeps their passwords.
 * - Every connection needs a password (scram). With trust, every user of the machine would be a superuser.
 * - The passwords are in a file beside the data that only its owner can read (0600).
 * - The server's role owns nothing. Its rights and limits (rights.sql) are set again at every start.
 */
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { EmbeddedPostgresError } from './error.ts'

export type Passwords = { readonly postgres: string; readonly roz_owner: string; readonly roz_app: string }
type Role = keyof Passwords

const DATABASE = 'roz'
const RIGHTS = path.join(import.meta.dirname, '../rights.sql')
/** SQLSTATE of a server that is starting up, recovering or shutting down: it will either answer or end. */
const CANNOT_CONNECT_NOW = '57P03'
const PASSING = new Set([CANNOT_CONNECT_NOW, 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT'])

export async function makePasswords(file: string): Promise<Passwords> {
  const password = (): string => randomBytes(24).toString('base64url')
  const passwords = { postgres: password(), roz_owner: password(), roz_app: password() }
  await writeFile(file, `${JSON.stringify(passwords, undefined, 2)}\n`, { mode: 0o600 })
  return passwords
}

export async function readPasswords(file: string): Promise<Passwords> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Passwords
  } catch (error) {
    throw new EmbeddedPostgresError(`The passwords of the local database cannot be read from ${file}: restore that file beside its data.`, {
      cause: error,
    })
  }
}

export function urlAs(role: Role, passwords: Passwords, port: number): string {
  return `postgres://${role}:${passwords[role]}@127.0.0.1:${port}/${role === 'postgres' ? 'postgres' : DATABASE}`
}

/** Waits until the database answers, then makes the missing roles and database. The wait ends when `gone` returns true. */
export async function ensureRoles(passwords: Passwords, port: number, gone: () => boolean): Promise<'ready' | 'gone'> {
  const client = await connected(urlAs('postgres', passwords, port), gone)
  if (client === undefined) return 'gone'
  try {
    const { rows } = await client.query<{ name: string }>(
      `select rolname as name from pg_roles where rolname in ('roz_owner', 'roz_app') union all select datname from pg_database where datname = '${DATABASE}'`,
    )
    const present = new Set(rows.map((row) => row.name))
    for (const role of ['roz_owner', 'roz_app'] as const) {
      if (!present.has(role)) await client.query(`create role ${role} login password ${pg.escapeLiteral(passwords[role])}`)
    }
    if (!present.has(DATABASE)) await client.query(`create database ${DATABASE} owner roz_owner`)
    await client.query(await readFile(RIGHTS, 'utf8'))
    return 'ready'
  } finally {
    await client.end()
  }
}

async function connected(url: string, gone: () => boolean): Promise<pg.Client | undefined> {
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, application_name: 'roz-start' })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return client
    } catch (error) {
      const code = (error as { code?: string }).code
      if (code === '28P01')
        throw new EmbeddedPostgresError('The local database refuses the passwords kept beside its data: restore passwords.json.')
      if (code === undefined || !PASSING.has(code)) throw error
    }
    if (gone()) return undefined
    await sleep(50)
  }
}
