/**
 * Gives each test file its own database, cloned from the migrated template.
 * - The audit reads the database before `drop` removes it, so money that a test broke fails the file.
 */
import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { lockSession, unlockSession } from '../db/advisory-locks.ts'
import { connect, type Db, sql } from '../db/sql.ts'
import { describeViolations, runAudit } from '../ledger/audit.ts'
import { perFile } from './fixture.ts'
import { type ServerUrls, TEMPLATE, urlOf } from './server-urls.ts'

export type TestDatabase = {
  /** Connected with the server's own role. */
  readonly db: Db
  readonly appUrl: string
  readonly ownerUrl: string
  readonly superUrl: string
  /** Sets the clock: roz_now() runs on from this instant. */
  readonly setClock: (at: Date) => Promise<void>
  /** Audits the money, then removes the database; call it in afterAll. */
  readonly drop: () => Promise<void>
  /** Removes the database without the audit, for a file that breaks rows on purpose. */
  readonly dropUnaudited: () => Promise<void>
}

type Options = { readonly connectionsMax?: number }
export const createTestDatabase = (options: Options = {}): Promise<TestDatabase> => cloneTemplate(inject('postgres'), options)

/** One for all tests of a file. `isAudited: false` is for a file that breaks rows on purpose. */
export const useTestDatabase = ({ isAudited = true, ...options }: Options & { readonly isAudited?: boolean } = {}): TestDatabase =>
  perFile(async () => {
    const database = await createTestDatabase(options)
    return { ...database, close: isAudited ? database.drop : database.dropUnaudited }
  })

/** One more connection for all tests of a file, with the rights of another role. */
export const useConnection = (url: () => string): Db => perFile(async () => connect({ url: url(), max: 1, named: false }))

export async function cloneTemplate(urls: ServerUrls, options: Options = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const maintenance = urlOf(urls, 'superuser', 'postgres')
  await withDb(maintenance, (admin) => clone(admin, name))
  const superUrl = urlOf(urls, 'superuser', name)
  const appUrl = urlOf(urls, 'app', name)
  const db = connect({ url: appUrl, max: options.connectionsMax ?? 10 })
  const dropUnaudited = async (): Promise<void> => {
    await db.close()
    await withDb(maintenance, (admin) => admin.query(rawSql(`drop database if exists ${name} with (force)`)))
  }
  return {
    db,
    appUrl,
    ownerUrl: urlOf(urls, 'owner', name),
    superUrl,
    setClock: async (at) => {
      await db.query(sql`select set_clock_offset(ceil(extract(epoch from ${at}::timestamptz - machine_clock()) * 1000)::bigint)`)
    },
    drop: async () => {
      try {
        await auditNow(superUrl)
      } finally {
        await dropUnaudited()
      }
    },
    dropUnaudited,
  }
}

/** Throws with a list of all broken invariants of money. */
async function auditNow(superUrl: string): Promise<void> {
  await withDb(superUrl, async (db) => {
    const violations = await runAudit(db)
    if (violations.length > 0) throw new Error(`the audit found:\n${describeViolations(violations)}`)
  })
}

async function withDb<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = connect({ url, max: 1, named: false })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** A database's name cannot be a parameter of a statement; these names are our own. */
const rawSql = (text: string) => sql([text] as unknown as TemplateStringsArray)

async function clone(admin: Db, name: string): Promise<void> {
  // One clone at a time: PostgreSQL refuses to copy a template that has another user.
  await lockSession(admin, 'testTemplate')
  // Copied as files: half the work of a copy through the write-ahead log, which only a crash would need.
  await admin.query(rawSql(`create database ${name} template ${TEMPLATE} owner roz_owner strategy file_copy`))
  await unlockSession(admin, 'testTemplate')
}

/** Makes failed work due for its next try. */
export const endRests = (db: Db): Promise<unknown> => db.query(sql`update failing_work set next_at = roz_now()`)

/** As 24 hours later for what each person decided alone, without moving the clock. */
export const forgetAlone = ({ ownerUrl }: Pick<TestDatabase, 'ownerUrl'>): Promise<void> =>
  withDb(ownerUrl, async (owner) => {
    await owner.query(sql`alter table decided_alone disable trigger user`)
    await owner.query(sql`delete from decided_alone`)
    await owner.query(sql`alter table decided_alone enable trigger user`)
  })

/** Makes the database refuse inserts and updates of rows for which `condition` on `new` is true; returns the function that ends it. */
export async function breakRows(
  { ownerUrl }: Pick<TestDatabase, 'ownerUrl'>,
  table: string,
  condition: string,
  // PostgreSQL's code of an exception that a function raises; 25006: a read-only host.
  code: 'P0001' | '25006' = 'P0001',
): Promise<() => Promise<void>> {
  const name = `broken_${randomBytes(6).toString('hex')}`
  await withDb(ownerUrl, async (owner) => {
    await owner.query(
      rawSql(
        `create function ${name}() returns trigger language plpgsql as $$ begin raise exception 'broken on purpose' using errcode = '${code}'; end $$`,
      ),
    )
    await owner.query(
      rawSql(`create trigger ${name} before insert or update on ${table} for each row when (${condition}) execute function ${name}()`),
    )
  })
  return () => withDb(ownerUrl, async (owner) => void (await owner.query(rawSql(`drop function ${name}() cascade`))))
}
