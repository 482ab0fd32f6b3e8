/** A backup of a database whose old months are in the archive, and its restore. */
import path from 'node:path'
import { addDays, dayAt, type IstDay } from '@roz/core/ist-day.ts'
import { VERDICT, verifyDay } from '@roz/server/testing/verifier.ts'
import { expect, test } from 'vitest'
import { ask } from '../../harness/calls.ts'
import { runCommand } from '../../harness/command.ts'
import { expectCleanAudit } from '../../harness/database.ts'
import { joinRound, newMember, passRound, PASSWORD, type Person, readClock, setClock } from '../../harness/people.ts'
import { newDataDir, type Program, startProgram, startUntouched } from '../../harness/program.ts'

const ALL = process.env.ROZ_TEST_ALL === '1'

/** Everything that shows the member that day, and the list by which anybody verifies it. */
async function shown({ url }: Program, { token }: Person, day: IstDay): Promise<unknown[]> {
  const calls = [
    await ask(url, 'roundHistory', { token, query: { limit: '100' } }),
    await ask(url, 'transactions', { token, query: { limit: '100' } }),
    await ask(url, 'userTicket', { token, params: { day } }),
    await ask(url, 'userRupee', { token, params: { day } }),
  ]
  expect(calls.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const list = await fetch(`${url}/api/public/draws/${day}/tickets`)
  // Without witnesses every draw is weak.
  expect([list.status, (await verifyDay({ url, day })).code]).toEqual([200, VERDICT.weak])
  return [...calls.map(({ output }) => output), Buffer.from(await list.arrayBuffer()).toString('hex')]
}

test.runIf(ALL)(
  'a restored backup shows members and verifiers an archived month as before, and takes it back from its file',
  { timeout: 240_000 },
  async () => {
    const roz = await startProgram()
    const [months, backups, restored] = ['months', 'backups', 'restored'].map((name) => path.join(newDataDir(), name)) as [
      string,
      string,
      string,
    ]
    const asha = await newMember(roz, { rupees: 10 })
    await joinRound(roz.url, asha)
    const day = await passRound(roz.url, asha)
    const month = day.slice(0, 7)
    // Both that month and the twelve after it are over.
    const later = dayAt(Date.parse(await readClock(roz.url)))
    await setClock(roz.url, `${addDays(later, 430)}T12:00:00+05:30`)
    // The session of then has ended.
    const { token } = (await ask(roz.url, 'login', { body: { email: asha.email, password: PASSWORD } })).output
    const member = { ...asha, token }
    const before = await shown(roz, member, day)
    const next = addDays(`${month}-01` as IstDay, 31).slice(0, 7)
    const archived = await runCommand(roz.dataDir, 'archive', '--before', next, '--to', months)
    expect(archived).toEqual({ code: 0, text: expect.stringContaining('1 entries are in') })
    expect(await shown(roz, member, day)).toEqual(before)
    expect((await runCommand(roz.dataDir, 'backup', '--to', backups)).code).toBe(0)
    const key = path.join(roz.dataDir, 'secret-key')
    expect(await roz.stop()).toBe(0)

    const words = ['--from', backups, '--into', restored, '--secret-key', key]
    expect(await runCommand(restored, 'restore', ...words)).toMatchObject({ code: 0 })
    expect(await runCommand(restored, 'after-restore')).toMatchObject({ code: 0 })
    const listed = await runCommand(restored, 'archive', '--list')
    expect(listed).toEqual({ code: 0, text: expect.stringMatching(new RegExp(`^${month}: 1 entries, .*the file is there`, 'm')) })
    const again = await startUntouched({ dataDir: restored })
    expect(await shown(again, member, day)).toEqual(before)
    const back = await runCommand(restored, 'archive', '--restore', month)
    expect(back).toEqual({ code: 0, text: expect.stringMatching(/1 entries are in the database again[^]*All \d+ invariants hold/) })
    expect(await shown(again, member, day)).toEqual(before)
    await expectCleanAudit(restored)
    await again.stop()
  },
)
