/** Runs what the compose stack's database runs once, and compares the roles, rights and limits with the database of `npm start`. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type EmbeddedPostgres, temporaryPostgres } from '../../server/src/db/embedded/embedded.ts'
import { connect, sql } from '../../server/src/db/sql.ts'

const OURS = `('roz_owner', 'roz_app')`
/** Everything that PostgreSQL keeps about the two roles and the database, except passwords and numbers. */
const STATE = {
  roles: `select rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls, rolconnlimit,
                 rolvaliduntil, substr(rolpassword, 1, 13) as kind
            from pg_authid where rolname in ${OURS} order by rolname`,
  memberships: `select r.rolname as role, m.rolname as member, a.admin_option, a.inherit_option, a.set_option
                  from pg_auth_members a join pg_roles r on r.oid = a.roleid join pg_roles m on m.oid = a.member
                 where m.rolname in ${OURS} or r.rolname in ${OURS} order by 1, 2`,
  settings: `select d.datname, r.rolname, s.setconfig from pg_db_role_setting s left join pg_database d on d.oid = s.setdatabase
               left join pg_roles r on r.oid = s.setrole order by 1, 2`,
  database: `select datname, pg_get_userbyid(datdba) as owner, datacl, datconnlimit, encoding, datlocprovider, datlocale, datcollate, datctype
               from pg_database where datname = 'roz'`,
} as const

let database: EmbeddedPostgres
let superuser: pg.Client
beforeAll(async () => {
  database = await temporaryPostgres()
  superuser = new pg.Client({ connectionString: database.superUrl })
  await superuser.connect()
})
afterAll(async () => {
  await superuser.end()
  await database.stop()
})

async function state(): Promise<Record<string, readonly object[]>> {
  const found: Record<string, readonly object[]> = {}
  for (const [name, query] of Object.entries(STATE)) found[name] = (await superuser.query<object>(query)).rows
  return found
}
/** Settings that apply to a role's new session. */
const LIMITS = sql`
  select current_user as role, current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
         current_setting('idle_in_transaction_session_timeout') as idle`
const limits = async (url: string): Promise<object | undefined> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<object>(LIMITS.text)
    return rows[0]
  } finally {
    await client.end()
  }
}

test('the local database limits the server’s role, as the server limits its own sessions', async () => {
  expect(await limits(database.appUrl)).toEqual({ role: 'roz_app', statement: '25s', lock: '20s', idle: '10s' })
  const db = connect({ url: database.appUrl, max: 1 })
  const [own] = await db.query<object>(LIMITS)
  await db.close()
  expect(own).toEqual(await limits(database.appUrl))
  // Migrations may take longer.
  expect(await limits(database.ownerUrl)).toEqual({ role: 'roz_owner', statement: '0', lock: '0', idle: '0' })
})

const psql = spawnSync('psql', ['--version'], { encoding: 'utf8' })

test('the compose stack’s database ends with the roles, rights and limits of the local one', async (context) => {
  if (psql.status !== 0) context.skip('there is no psql on this machine')
  const local = await state()
  await superuser.query('drop database roz')
  for (const role of ['roz_app', 'roz_owner']) await superuser.query(`drop role ${role}`)
  expect((await state()).roles).toEqual([])

  for (const file of firstFiles()) {
    const [program = '', ...words] = file.endsWith('.sql')
      ? ['psql', '-v', 'ON_ERROR_STOP=1', '--no-psqlrc', '--username', 'postgres', '--dbname', 'postgres', '-f', file]
      : ['sh', file]
    const { status, stderr } = spawnSync(program, words, { encoding: 'utf8', env: environment() })
    expect({ file, status, stderr }).toEqual({ file, status: 0, stderr: '' })
  }

  expect(await state()).toEqual(local)
  const as = (role: string, password: string): string => `postgres://${role}:${password}@127.0.0.1:${database.port}/roz`
  expect(await limits(as('roz_app', 'ccc333'))).toEqual({ role: 'roz_app', statement: '25s', lock: '20s', idle: '10s' })
  expect(await limits(as('roz_owner', 'bbb222'))).toMatchObject({ role: 'roz_owner' })
  await expect(limits(as('roz_owner', 'ccc333'))).rejects.toThrow('password authentication failed')
})

/** The files of /docker-entrypoint-initdb.d, in the order in which the image runs them. */
function firstFiles(): string[] {
  const folder = '/docker-entrypoint-initdb.d/'
  const { services } = parse(readFileSync(path.join(import.meta.dirname, 'compose.yml'), 'utf8')) as {
    readonly services: { readonly postgres: { readonly volumes: readonly string[] } }
  }
  const mounted = services.postgres.volumes.map((volume) => volume.split(':')).filter(([, to = '']) => to.startsWith(folder))
  return mounted
    .toSorted(([, one = ''], [, other = '']) => (one < other ? -1 : 1))
    .map(([from = '']) => path.join(import.meta.dirname, from))
}

/** The environment of the image: its superuser, and the variables of compose.yml. */
function environment(): Record<string, string | undefined> {
  const { password, port } = new URL(database.superUrl)
  return {
    PATH: process.env.PATH,
    PGHOST: '127.0.0.1',
    PGPORT: port,
    PGPASSWORD: password,
    POSTGRES_USER: 'postgres',
    OWNER_PASSWORD: 'bbb222',
    APP_PASSWORD: 'ccc333',
  }
}
