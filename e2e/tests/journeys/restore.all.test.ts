/** A restored database: no server starts on it before it is joined to what came after that second. */
import { expect, test } from 'vitest'
import { ask } from '../../harness/calls.ts'
import { runCommand } from '../../harness/command.ts'
import { adminToken, newMember } from '../../harness/people.ts'
import { startProgram, startUntouched } from '../../harness/program.ts'
import { restoredCopy } from '../../harness/restored.ts'

test('a restored program refuses to start, and serves what members did once it is joined to what came after', async () => {
  const roz = await startProgram()
  const member = await newMember(roz, { rupees: 10 })
  expect((await ask(roz.url, 'joinRound', { token: member.token, key: 'join-1', body: {} })).status).toBe(200)
  const staff = await adminToken(roz.url)
  expect(await roz.stop()).toBe(0)
  const restored = restoredCopy(roz.dataDir)
  for (let attempt = 0; attempt < 2; attempt++)
    await expect(startUntouched({ dataDir: restored })).rejects.toThrow(/This database was restored .*: run roz restore finish on it first/)
  for (let run = 0; run < 2; run++) {
    const { code, text } = await runCommand(restored, 'restore', 'finish')
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
