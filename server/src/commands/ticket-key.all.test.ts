/** A lost ticket key and the operator's way on: put back from a backup or the member's device, or replaced. */
import { Readable } from 'node:stream'
import { beforeEach, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { setAutoJoin } from '../ledger/wallets.ts'
import { TEST_SECRET_KEY } from '../testing/calls.ts'
import { openRoundsWorld } from '../testing/rounds-world.ts'
import { VERDICT, verifyDay, verifyDayByTwin } from '../testing/verifier.ts'
import { heldBooksNow } from './held-books.ts'
import { parkedNow } from './parked.ts'
import { ticketKeyNow } from './ticket-key.ts'
import { perTest } from '../testing/fixture.ts'

const [DAY, NEXT] = ['2026-11-21', '2026-11-22'] as const
const world = perTest(openRoundsWorld)
let entrant: bigint
/** Joins the first day only. */
let silent: bigint
beforeEach(async () => {
  entrant = await world.member(5)
  silent = await world.member(5)
  for (const member of [entrant, silent]) await world.join(member)
  await world.goTo(`${NEXT}T12:00:00+05:30`)
  await world.join(entrant)
})

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
const typing = (value: string, ...words: string[]): Promise<Said> =>
  told((target) => ticketKeyNow({ ...target, words, input: Readable.from([`${value}\n`]) }))
const ticketKey = (...words: string[]): Promise<Said> => typing('', ...words)
/** The output of `put`, without the line that asks for the value. */
async function put(memberId: bigint, day: string, value: string): Promise<Said> {
  const { code, said } = await typing(value, String(memberId), 'put', day)
  return { code, said: said.replace('Paste the value and press Enter:\n', '') }
}
const NOTHING_COMPARED =
  'The key is back in its row. No sealed list has a ticket of it yet: it was compared only with the keys that the member has claimed.'
const listedOn = (day: string): string => `The key is back in its row: it makes the member's ticket in the sealed list of ${day}.`
const parked = (name = ''): Promise<Said> => told((target) => parkedNow(target, name))
/** The encrypted value, as the same command prints it on a copy of a backup. */
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
  expect((await world.join(entrant)).body).toMatchObject({ code: 'cannot_join' })
  expect(await ticketKey(String(entrant))).toEqual({ code: 1, said: 'beginning  custodial  CANNOT BE READ' })

  for (const wrong of [anothers, 'ab'.repeat(65), 'cd'.repeat(32)])
    expect(await put(entrant, 'beginning', wrong)).toEqual({ code: 1, said: 'This is not the key of this member: nothing was changed.' })
  expect(await put(entrant, NEXT, saved)).toEqual({ code: 1, said: 'This member has no such key.' })
  expect((await put(entrant, 'beginning', 'abc')).said).toContain('A value has 64 or 130 characters')
  expect((await ticketKey(String(entrant), 'put', 'beginning', saved)).said).toContain('roz keys ticket MEMBER put DAY')
  expect(await ticketKey(String(entrant), 'new')).toMatchObject({ code: 1, said: expect.stringContaining('has joined a day') })
  expect(await put(entrant, 'beginning', saved)).toEqual({ code: 0, said: listedOn(DAY) })
  expect((await put(entrant, 'beginning', saved)).said).toBe('This key can be read: nothing is to do.')
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
  expect(await put(entrant, 'beginning', key)).toEqual({ code: 0, said: listedOn(DAY) })
  expect(await ownKey(entrant)).toBe(key)
})

test('a lost key of a member who did not enter is replaced from the first day without books, and the held books follow', async () => {
  const key = await ownKey(silent)
  await flipBit(silent)
  await world.goTo('2026-11-23T00:00:05+05:30')
  expect(world.faults.splice(0)).toMatchObject([{ day: NEXT, memberId: String(silent) }])
  // While the key is lost the member cannot make it irreplaceable by joining.
  expect(await world.join(silent)).toMatchObject({ status: 403, body: { code: 'cannot_join' } })
  await inTransaction(world.db, (tx) => setAutoJoin(tx, silent, true))
  await world.goTo('2026-11-24T00:00:05+05:30')
  expect(world.faults.splice(0)).toMatchObject([{ day: NEXT, memberId: String(silent) }])
  expect(await world.entrants('2026-11-24')).toEqual([])
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

test('a key of the member that is not the one of these days is refused, by a sealed list or as the key of another row', async () => {
  const first = await ownKey(entrant)
  const second = 'e'.repeat(64)
  const third = 'f'.repeat(64)
  const change = (ticketKey: string) => world.ask('PUT /user/ticket-key', { as: entrant, body: { ticketKey } })
  expect((await change(second)).status).toBe(200)
  await world.goTo('2026-11-23T12:00:00+05:30')
  const damage = (servesFrom: string) =>
    world.db.query(sql`update ticket_key set sealed_key = set_byte(sealed_key, 50, get_byte(sealed_key, 50) # 1)
           where member_id = ${entrant}::bigint and serves_from = ${servesFrom}::date`)
  await damage('2026-11-23')
  // No list has a ticket of the second key yet.
  const other = { code: 1, said: 'This is a key of the member, but not the one of these days: nothing was changed.' }
  expect(await put(entrant, '2026-11-23', first)).toEqual(other)
  expect(await put(entrant, '2026-11-23', second)).toEqual({ code: 0, said: NOTHING_COMPARED })
  await world.join(entrant)
  await change(third)
  await world.goTo('2026-11-24T12:00:00+05:30')
  await damage('-infinity')
  await damage('2026-11-23')
  await damage('2026-11-24')
  for (const wrong of [second, third]) expect(await put(entrant, 'beginning', wrong)).toEqual(other)
  expect(await put(entrant, 'beginning', first)).toEqual({ code: 0, said: listedOn(NEXT) })
  for (const wrong of [first, third]) expect(await put(entrant, '2026-11-23', wrong)).toEqual(other)
  expect(await put(entrant, '2026-11-23', second)).toEqual({ code: 0, said: listedOn('2026-11-23') })
  expect(await put(entrant, '2026-11-24', third)).toEqual({ code: 0, said: NOTHING_COMPARED })
})

test('a key that nobody has, of an entrant: the operator’s express decision gives the unsealed days a new key, and the draw goes on', async () => {
  await flipBit(entrant)
  await world.goTo('2026-11-23T00:00:05+05:30')
  expect(await world.statuses()).toMatchObject({ [NEXT]: 'closed' })
  expect((await ticketKey(String(entrant), 'new')).code).toBe(1)
  const { code, said } = await ticketKey(String(entrant), 'new', 'despite-receipts')
  expect(code).toBe(0)
  expect(said).toContain(`a new key from ${NEXT} on`)
  expect(said).toContain(`The member entered ${NEXT}. A receipt of these days, if there is one, names a ticket that no list will have`)
  await world.goTo('2026-11-23T12:00:00+05:30')
  expect((await world.join(entrant)).status).toBe(200)
  await goOn()
  expect(await world.statuses()).toMatchObject({ [NEXT]: 'settled', '2026-11-23': 'settled' })
  await expectSound()
  const [noted] = await world.db.query(sql`select after from audit_log where action = 'ticket_key.new'`)
  expect(noted).toEqual({ after: { from: NEXT, entered: [NEXT], held: [] } })
})

test('under another SECRET_KEY than the server’s no key is called lost, and none is replaced', async () => {
  const key = await ownKey(silent)
  for (const words of [[], ['new', 'despite-receipts']]) {
    const { code, said } = await told((target) =>
      ticketKeyNow({ ...target, secretKey: 'the key of another server', words: [String(silent), ...words], input: Readable.from([]) }),
    )
    expect([code, said]).toEqual([2, expect.stringContaining('a key that is neither SECRET_KEY nor SECRET_KEY_OLD')])
    expect(said).not.toContain('CANNOT BE READ')
  }
  expect(await ownKey(silent)).toBe(key)
})

test('a list that is sealed keeps its key: the new one serves from the first day without a sealed list', async () => {
  await world.db.query(sql`
    insert into books_hold (day, found, next_try_at) values (${NEXT}::date, 'a test holds it', '2026-11-23T00:55:00+05:30')`)
  await world.goTo('2026-11-23T00:00:05+05:30')
  expect(await world.statuses()).toMatchObject({ [NEXT]: 'settled' })
  const key = await ownKey(entrant)
  await flipBit(entrant)
  expect((await ticketKey(String(entrant), 'new', 'despite-receipts')).said).toContain('a new key from 2026-11-23 on')
  const said = (await ticketKey(String(entrant))).said
  expect(said).toContain('beginning  custodial  CANNOT BE READ')
  await world.goTo('2026-11-23T12:00:00+05:30')
  world.faults.splice(0)
  expect((await world.join(entrant)).status).toBe(200)
  expect(await put(entrant, 'beginning', key)).toEqual({ code: 0, said: listedOn(NEXT) })
  await goOn()
  await expectSound()
})
