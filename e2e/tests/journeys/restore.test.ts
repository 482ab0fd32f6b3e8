/**
 * A backup of the running program, and a restore of it, by the commands that an operator types.
 * - The program itself ships the log of commits while it runs and when it stops.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from '@roz/server/db/sql.ts'
import { expect, test } from 'vitest'
import { ask } from '../../harness/calls.ts'
import { runCommand } from '../../harness/command.ts'
import { inDatabase } from '../../harness/database.ts'
import { adminToken, eventually, newMember } from '../../harness/people.ts'
import { newDataDir, startProgram, startUntouched } from '../../harness/program.ts'

test('what members did until the stop is in the backup; the restored program serves it once it is joined to what came after', async () => {
  const roz = await startProgram()
  const [folder, restored] = [path.join(newDataDir(), 'backups'), path.join(newDataDir(), 'restored')]
  expect(await runCommand(roz.dataDir, 'backup', '--to', folder)).toEqual({ code: 0, text: expect.stringContaining('All were read back.') })
  const member = await newMember(roz, { rupees: 10 })
  expect((await ask(roz.url, 'joinRound', { token: member.token, key: 'join-1', body: {} })).status).toBe(200)
  await eventually('the note that the log has arrived', async () => {
    const [note] = await inDatabase(roz.dataDir, (db) => db.query(sql`select from backup_note where what = 'log'`))
    return note
  })
  const staff = await adminToken(roz.url)
  expect(await roz.stop()).toBe(0)
  const key = path.join(roz.dataDir, 'secret-key')
  const done = await runCommand(roz.dataDir, 'restore', '--from', folder, '--into', restored, '--secret-key', key)
  expect(done).toEqual({ code: 0, text: expect.stringMatching(/All \d+ invariants hold\./) })
  expect(readFileSync(path.join(restored, 'secret-key'), 'utf8')).toBe(readFileSync(key, 'utf8'))
  for (let attempt = 0; attempt < 2; attempt++)
    await expect(startUntouched({ dataDir: restored })).rejects.toThrow(
      /This database was restored .*: run npm run after-restore on it first/,
    )
  for (let run = 0; run < 2; run++) {
    const { code, text } = await runCommand(restored, 'after-restore')
    expect([code, text]).toEqual([
      0,
      expect.stringMatching(
        run === 0 ? /[1-9] sessions? of staff were ended. The team of that second: Administrator \(owner\)/ : /\b0 sessions of staff/,
      ),
    ])
  }
  const again = await startUntouched({ dataDir: restored })
  // Somebody may have been removed from the team after the restored second.
  expect((await ask(again.url, 'staffAccount', { token: staff })).refusal.code).toBe('unauthenticated')
  expect((await ask(again.url, 'profile', { token: member.token })).output.user.wallet.balance).toBe(9)
  expect((await ask(again.url, 'joinRound', { token: member.token, key: 'join-2', body: {} })).refusal.code).toBe('already_joined')
})
