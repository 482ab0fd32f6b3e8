/** A data folder with a local database as the server keeps it, for tests of backups; every part of it is real. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { paise } from '@roz/core/money.ts'
import { ship, type Source } from '../backup/ship.ts'
import { type EmbeddedPostgres, startPostgres } from '../db/embedded/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { connect, type Db } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { captureTopup, createTopup } from '../ledger/topups.ts'

export type LocalDatabase = {
  readonly dataDir: string
  readonly db: Db
  readonly postgres: EmbeddedPostgres
  /** Ships everything that was committed so far, as the passing of a minute does. */
  readonly shipAll: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** A folder for everything of one test file, that PostgreSQL's own user may enter. */
export function newRoot(): { readonly root: string; readonly remove: () => void } {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'roz-backup-')))
  chmodSync(root, 0o755)
  return { root, remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }) }
}

/** Without fsync: nothing here survives a power cut, and nothing needs to. */
export async function startLocal(dataDir: string): Promise<LocalDatabase> {
  const folder = path.join(dataDir, 'postgres')
  const postgres = await startPostgres({ dataDir: folder, flags: ['fsync=off'], log: () => undefined })
  await migrate(postgres.ownerUrl, { appRole: 'roz_app', production: false })
  const db = connect({ url: postgres.appUrl, max: 4 })
  const source: Source = { postgres: folder, uploads: path.join(dataDir, 'uploads') }
  const shipAll = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: postgres.superUrl })
    await client.connect()
    const { rows } = await client.query<{ name: string }>('select pg_walfile_name(pg_switch_wal()) as name')
    for (let isOut = false; !isOut; ) {
      const { rows: found } = await client.query<{ isOut: boolean }>('select last_archived_wal >= $1 as "isOut" from pg_stat_archiver', [
        rows[0]?.name,
      ])
      isOut = found[0]?.isOut ?? false
    }
    await client.end()
    await ship(source)
  }
  const stop = async (): Promise<void> => {
    await db.close()
    await postgres.stop()
  }
  return { dataDir, db, postgres, shipAll, stop }
}

export const copyFolder = (from: string, to: string): void => void execFileSync('cp', ['-a', '--', from, to])

/** A payment of ₹10 that the gateway took; its order's id. */
export async function pay(db: Db, memberId: bigint): Promise<string> {
  const orderId = randomUUID().replaceAll('-', '')
  const amount = paise(1000n)
  await inTransaction(db, async (tx) => {
    await createTopup(tx, { orderId, memberId, amount })
    await captureTopup(tx, { orderId, paymentId: `pay-${orderId}`, orderAmount: amount })
  })
  return orderId
}
