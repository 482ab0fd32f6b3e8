/** A lost ticket key and the operator's way on: put back from a backup or the member's device, or replaced. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { TEST_SECRET_KEY } from '../testing/calls.ts'
import { openRoundsWorld, type RoundsWorld } from '../testing/rounds-world.ts'
import { VERDICT, verifyDay, verifyDayByTwin } from '../testing/verifier.ts'
import { heldBooksNow } from './held-books.ts'
import { parkedNow } from './parked.ts'
import { ticketKeyNow } from './ticket-key.ts'

const [DAY, NEXT] = ['2026-11-21', '2026-11-22'] as const
let world: RoundsWorld
let entrant: bigint
/** Joins the first day only. */
let silent: bigint
beforeEach(async () => {
  world = await openRoundsWorld()
  entrant = await world.member(5)
  silent = await world.member(5)
  for (const member of [entrant, silent]) await world.join(member)
  await world.goTo(`${NEXT}T12:00:00+05:30`)
  await world.join(entrant)
})
afterEach(() => world.close())

const flipBit = (memberId: bigint) =>
  world.db.query(
    sql`update ticket_key set sealed_key = set_byte(sealed_key, 50, get_byte(sealed_key, 50) # 1) where member_id = ${memberId}::bigint`,
  )
type Said = { readonly code: number; readonly said: string }
async function told(run: (target: ReturnType<typeof targetOf>) => Promise<number>): Promise<Said> {
  const lines: string[] = []
  const code = await run(targetOf((line) => void lines.push(line)))
  return { code, said: lines.join('\n') }
}
const targetOf = (say: (line: string) => void) => ({
  databaseUrl: world.database.appUrl,
  dataDir: '/nowhere',
  namedStatements: true,
  secretKey: TEST_SECRET_KEY,
  secretKeyOld: undefined,
  say,
})
const ticketKey = (...words: string[]): Promise<Said> => told((target) => ticketKeyNow({ ...target, words }))
const parked = (name = ''): Promise<Said> => told((target) => parkedNow(target, name))
/** The sealed value, as the same command prints it on a copy of a backup. */
const inBackup = async (memberId: bigint): Promise<string> => (await ticketKey(String(memberId))).said.split('  ').at(-1) ?? ''
const ownKey = async (as: bigint): Promise<string> => String((await world.ask('GET /user/ticket-key', { as })).body.key)
/** Both verifiers: closing the world checks the days once more. */
async function expectSound(): Promise<void> {
  for (const { code, text } of await Promise.all([
    verifyDay({ url: world.url, day: NEXT }),
    verifyDayByTwin({ url: world.url, day: NEXT }),
  ]))
    expect(code, text).toBe(VERDICT.weak)
  expect(await parked()).toEqual({ code: 0, said: 'Nothing is parked.' })
}
const goOn = async (): Promise<void> => {
  world.faults.splice(0)
  for (const at of ['2026-11-24T00:00:05', '2026-11-24T00:00:10']) await world.goTo(`${at}+05:30`)
}

test('an entrant’s unreadable key parks the list with the member’s number; put back out of a backup, every day follows', async () => {
  const saved = await inBackup(entrant)
  const anothers = await inBackup(silent)
  await flipBit(entrant)
  for (const at of ['00:00:05', '00:01:00', '00:02:00', '00:03:00', '00:04:00', '00:05:00']) await world.goTo(`2026-11-23T${at}+05:30`)
  expect(await world.statuses()).toMatchObject({ [DAY]: 'settled', [NEXT]: 'closed' })
  const { code, said } = await parked()
  expect(code).toBe(1)
  expect(said).toContain(`seal_list ${NEXT}`)
  expect(said).toContain(`the ticket key of member ${entrant} cannot be read`)
  expect(await ticketKey(String(entrant))).toEqual({ code: 1, said: 'beginning  custodial  CANNOT BE READ' })

  const put = (value: string, day = 'beginning') => ticketKey(String(entrant), 'put', day, value)
  for (const wrong of [anothers, 'ab'.repeat(65), 'cd'.repeat(32)])
    expect(await put(wrong)).toEqual({ code: 1, said: 'This is not the key of this member: nothing was changed.' })
  expect(await put(saved, NEXT)).toEqual({ code: 1, said: 'This member has no such key.' })
  expect((await put('abc')).said).toContain('npm run ticket-key -- MEMBER put DAY VALUE')
  expect(await ticketKey(String(entrant), 'new')).toMatchObject({ code: 1, said: expect.stringContaining('has joined a day') })
  expect(await put(saved)).toEqual({ code: 0, said: 'The key is back in its row.' })
  expect((await put(saved)).said).toBe('This key can be read: nothing is to do.')
  expect((await parked(`seal_list ${NEXT}`)).code).toBe(0)
  await world.runDue()
  await world.join(entrant)
  await goOn()
  expect(await world.statuses()).toMatchObject({ [NEXT]: 'settled', '2026-11-23': 'settled' })
  await expectSound()
  expect(
    await world.db.query(sql`select action from audit_log where subject = ${`member:${entrant}`}::text and action like 'ticket_key.%'`),
  ).toEqual([{ action: 'ticket_key.put' }])
})

test('a key that only the member’s device has is put back too', async () => {
  const key = await ownKey(entrant)
  await flipBit(entrant)
  expect(await ticketKey(String(entrant), 'put', 'beginning', key)).toEqual({ code: 0, said: 'The key is back in its row.' })
  expect(await ownKey(entrant)).toBe(key)
})

test('a lost key of a member who did not enter is replaced from the first day without books, and the held books follow', async () => {
  const key = await ownKey(silent)
  await flipBit(silent)
  await world.goTo('2026-11-23T00:00:05+05:30')
  expect(world.faults.splice(0)).toMatchObject([{ day: NEXT, memberId: String(silent) }])
  expect(await ticketKey(String(silent), 'new')).toMatchObject({ code: 0, said: expect.stringContaining(`a new key from ${NEXT} on`) })
  expect((await told((target) => heldBooksNow({ ...target, words: ['retry'] }))).code).toBe(0)
  await world.runDue()
  expect((await world.join(silent)).status).toBe(200)
  await goOn()
  await expectSound()
  expect((await world.ask(`GET /user/ticket-key?day=${NEXT}`, { as: silent })).body).toMatchObject({ custodial: true })
  expect(await ownKey(silent)).not.toBe(key)
  expect((await ticketKey(String(silent), 'new')).said).toBe('This key can be read: nothing is to do.')
})
