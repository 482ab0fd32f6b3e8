/**
 * The database's disk is full because the folder of backups is missing, and is emptied as docs/runbooks/disk-full.md says.
 * - Only root can mount a small disk; elsewhere, and in the short run, this file has no test.
 */
import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import path from 'node:path'
import { startPostgres } from '@roz/server/db/embedded/embedded.ts'
import { sql } from '@roz/server/db/sql.ts'
import { expect, test } from 'vitest'
import { makeSmallDisk } from '../../faults/small-disk.ts'
import { ask } from '../../harness/calls.ts'
import { runCommand } from '../../harness/command.ts'
import { inDatabase } from '../../harness/database.ts'
import { eventually, newMember, PHONE } from '../../harness/people.ts'
import { newDataDir, startProgram } from '../../harness/program.ts'

const disk = process.env.ROZ_TEST_ALL === '1' ? makeSmallDisk(newDataDir()) : undefined
const WITHIN_MS = 180_000
const BUSY = 503

test.runIf(disk !== undefined)(
  'a disk that the log of commits has filled empties itself once the folder of backups is back, and the backup misses nothing acknowledged',
  async () => {
    const place = disk as NonNullable<typeof disk>
    const dataDir = path.join(place.folder, 'data')
    mkdirSync(dataDir, { mode: 0o711 })
    const [folder, restored] = [path.join(newDataDir(), 'backups'), path.join(newDataDir(), 'restored')]
    const roz = await startProgram({ dataDir, isDurable: true })
    try {
      const asha = await newMember(roz)
      expect((await runCommand(dataDir, 'backup', '--to', folder)).code).toBe(0)
      renameSync(folder, `${folder}-away`)
      const acknowledged: string[] = []
      const order = async (): Promise<number> => {
        const answer = await ask(roz.url, 'addMoney', { token: asha.token, body: { amount: 10, phoneNumber: PHONE } })
        if (answer.status < 300) acknowledged.push(answer.output.order_id)
        return answer.status
      }
      const fillOn = (): Promise<unknown> =>
        inDatabase(dataDir, async (db) => {
          await db.query(sql`select pg_logical_emit_message(true, 'fill', repeat('x', 8000000))`)
          await db.query(sql`select pg_switch_wal()`)
        }).catch(() => undefined)
      const used = async (): Promise<number> =>
        Number(/^roz_disk_used_ratio ([\d.]+)$/m.exec(await (await fetch(`${roz.url}/metrics`)).text())?.[1])
      await eventually(
        'a disk that is nearly full',
        async () => {
          await fillOn()
          await order()
          return (await used()) > 0.9 || undefined
        },
        WITHIN_MS,
      )
      expect(await runCommand(dataDir, 'status')).toEqual({
        code: 1,
        text: expect.stringMatching(/✗ (9\d|100) % of the disk of DATA_DIR is used \(docs\/runbooks\/disk-full\.md\)/),
      })
      const refused = await eventually(
        'a refusal',
        async () => {
          await fillOn()
          const status = await order()
          return status < 500 ? undefined : status
        },
        WITHIN_MS,
      )
      expect([refused, acknowledged.length > 0]).toEqual([BUSY, true])
      expect((await fetch(`${roz.url}/healthz`)).status).toBe(200)

      renameSync(`${folder}-away`, folder)
      await eventually('readiness', async () => (await fetch(`${roz.url}/readyz`)).ok || undefined, WITHIN_MS)
      await eventually('an empty spool', async () => readdirSync(path.join(dataDir, 'postgres/wal')).length === 0 || undefined, WITHIN_MS)
      expect((await runCommand(dataDir, 'audit')).code).toBe(0)
      expect((await runCommand(dataDir, 'status')).text).not.toContain('disk-full')
      expect(await order()).toBe(200)
      expect(await roz.stop()).toBe(0)
      const done = await runCommand(dataDir, 'restore', '--from', folder, '--into', restored)
      expect(done).toEqual({ code: 0, text: expect.stringMatching(/All \d+ invariants hold\./) })
      const local = await startPostgres({ dataDir: path.join(restored, 'postgres'), log: () => undefined })
      const known = await inDatabase(restored, (db) => db.query<{ id: string }>(sql`select order_id as id from topup`))
      await local.stop()
      expect(new Set(known.map(({ id }) => id)).isSupersetOf(new Set(acknowledged))).toBe(true)
    } finally {
      await roz.stop()
      place.remove()
    }
  },
  600_000,
)
