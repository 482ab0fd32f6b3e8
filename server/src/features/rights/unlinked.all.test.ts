/** After a closed account: the database links no ticket to the person, and only the ledger's rows remain, by id. */
import { readFileSync } from 'node:fs'
import { hex } from '@roz/core/draw.ts'
import { addDays, endOfDayMs, type IstDay } from '@roz/core/ist-day.ts'
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { DAY, addMoney } from '../../ledger/testing/fixtures.ts'
import { bookPayout } from '../../ledger/withdrawals.ts'
import { makeMember, testSecrets } from '../../testing/calls.ts'
import { useServicesWorld } from '../../testing/services-world.ts'
import { BANK } from '../../testing/wallet-world.ts'
import { createTicketKeys } from '../../tickets/ticket-keys.ts'
import { ticketOf } from '../../tickets/ticket.ts'
import { paise } from '@roz/core/money.ts'
import { useConnection } from '../../testing/database.ts'

const KEY = 'ab'.repeat(32)
const NAME = 'Leela Quintara'
const OWN_BANK = { ...BANK, accountHolderName: NAME, accountNumber: '998877665544' }
const DAYS = [DAY, addDays(DAY, 1)]
/** The tables that keep rows of a member by id: money movements, their destinations, and the staff log. */
const LEDGER = [
  'audit_log',
  'bank_account',
  'debt',
  'draw_winner',
  'member',
  'member_flag',
  'refund',
  'round_join',
  // The draft story of a winner's day.
  'story',
  'suspense_item',
  'topup',
  'transfer',
  'wallet',
  'withdrawal',
]
const world = useServicesWorld()
const owner = useConnection(() => world.database.superUrl)
let leaver: bigint
const others: bigint[] = []

beforeAll(async () => {
  const { database, calls, services } = world
  // A member id that no row contains by chance.
  await owner.query(sql`select setval(pg_get_serial_sequence('member', 'id'), 987654320)`)
  for (let n = 0; n < 4; n++) others.push(await fund(await makeMember(database.db)))
  leaver = await fund(await makeMember(database.db, { name: NAME }))
  await calls.ask('PUT /user/ticket-key', { as: leaver, body: { ticketKey: KEY } })
  for (const day of DAYS) {
    for (const member of [leaver, ...others]) expect((await calls.ask('POST /rounds/join', { as: member, body: {} })).status).toBe(200)
    await database.setClock(new Date(endOfDayMs(day) + 5_000))
    await services.worker.runDue()
  }
})

async function fund(member: bigint): Promise<bigint> {
  await addMoney(world.database.db, member, paise(1_000n))
  return member
}

/** The tables with a row that contains one of these texts. */
async function tablesWith(...texts: readonly string[]): Promise<string[]> {
  const tables = await owner.query<{ name: string }>(
    sql`select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const [row] = await owner.query<{ holds: boolean }>(
      sql([`select exists (select from "${name}" t where t::text ~* '${texts.join('|')}') as holds`] as unknown as TemplateStringsArray),
    )
    // Joins are stored in partitions by month.
    if (row?.holds === true) found.push(name.replace(/_\d{4}_\d\d$/, ''))
  }
  return found
}
const numbersOf = (member: bigint): string[] => [`\\m${member}\\M`, member.toString(16).padStart(16, '0')]
const ownTickets = (): string[] => DAYS.map((day) => hex(ticketOf(Buffer.from(KEY, 'hex'), day)))

test('while the account is open, only the member’s own key links the member to a ticket', async () => {
  expect(await tablesWith(...ownTickets())).toEqual(expect.arrayContaining(['ticket_page']))
  expect(await world.database.db.query(sql`select 1 from ticket_owner`)).toEqual([])
  expect(await tablesWith(...numbersOf(leaver))).toEqual(expect.arrayContaining(['ticket_key', 'ticket_key_claim', 'round_join']))
})

test('after closing, nothing links the person to a ticket, and only the ledger’s rows by id link to a day', async () => {
  const { calls, database, services } = world
  const { email, id: publicId } = (await calls.ask('GET /user/me', { as: leaver })).body.user
  const { withdrawal } = (await calls.ask('POST /user/close', { as: leaver, body: { bankDetail: OWN_BANK } })).body
  await inTransaction(database.db, (tx) => bookPayout(tx, { id: withdrawal.id, word: 'paid' }))
  await services.worker.runDue()
  expect((await calls.ask('DELETE /user', { as: leaver })).status).toBe(204)
  await services.worker.runDue()
  // Sent mails remain in jobs and in the mail catcher, which delete them in their own time.
  await owner.query(sql`delete from caught_mail`)
  await owner.query(sql`delete from job`)

  expect(await tablesWith(NAME, email, OWN_BANK.accountNumber)).toEqual([])
  expect(await tablesWith(publicId)).toEqual(['member'])
  const byNumber = await tablesWith(...numbersOf(leaver))
  expect(LEDGER).toEqual(expect.arrayContaining(byNumber))
  expect(byNumber).toEqual(expect.arrayContaining(['round_join', 'transfer', 'wallet']))
  // Tickets are in the published lists. No table has both, so the whole database cannot link a member to a ticket …
  const byTicket = await tablesWith(...ownTickets())
  expect(byTicket.filter((table) => byNumber.includes(table))).toEqual([])
  expect(['ticket_page', 'log_entry', 'books_day']).toEqual(expect.arrayContaining(byTicket))
  // … and the key that would compute the ticket is stored nowhere, encrypted or not.
  expect(await tablesWith(KEY)).toEqual([])
  expect(await database.db.query(sql`select 1 from ticket_key where member_id = ${leaver}::bigint`)).toEqual([])
  const claims = await database.db.one<{ named: number; unnamed: number }>(
    sql`select count(member_id)::int as named, (count(*) - count(member_id))::int as unnamed from ticket_key_claim`,
  )
  expect(claims).toEqual({ named: others.length, unnamed: 1 })
})

test('a winner’s id stays with the prize, without a person', async () => {
  const winners = await world.database.db.query<{ id: bigint; day: IstDay }>(sql`select member_id as id, day from draw_winner`)
  for (const { id, day } of winners) {
    const { ref } = await world.database.db.one<{ ref: string }>(
      sql`select ref from transfer where kind = 'prize' and credit = ${id}::bigint and ref like ${`${day}%`}::text`,
    )
    expect(ref.startsWith(day)).toBe(true)
  }
})

test('the key of a closed account stays taken, and the proofs of the other members still pass', async () => {
  const { calls, database } = world
  const newcomer = await makeMember(database.db)
  expect((await calls.ask('PUT /user/ticket-key', { as: newcomer, body: { ticketKey: KEY } })).body).toMatchObject({
    code: 'ticket_key_taken',
  })
  const { checkMyTicket } = (await import(new URL('../../../../verifier/src/my-ticket.ts', import.meta.url).href)) as {
    checkMyTicket: (input: object) => Promise<{ state: string }>
  }
  const logKey = (await calls.ask('GET /public/log/key')).text.trim()
  const keys = createTicketKeys({ secrets: testSecrets })
  for (const member of others)
    for (const day of DAYS) {
      const { body } = await calls.ask(`GET /user/tickets/${day}`, { as: member })
      const own = await keys.find(database.db, member, day)
      const input = { day, ticketKey: Buffer.from(own?.key ?? '', 'hex'), answer: body, logKey, source: {} }
      expect(await checkMyTicket(input)).toMatchObject({ state: 'included' })
      const owed = (await calls.ask(`GET /user/liabilities/${day}?limit=128`, { as: member })).body
      expect(owed.parts.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0)).toBe(owed.balance + owed.held)
    }
})

test('the decision page names every table that keeps rows of a closed account', () => {
  const page = readFileSync(new URL('../../../../docs/decisions/0010-owner-of-a-ticket.md', import.meta.url), 'utf8')
  for (const table of LEDGER) expect(page).toContain(`\`${table}\``)
})
