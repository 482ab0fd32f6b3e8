/** Signs that a withdrawal leaves for the review list: noted after the commit, in nobody's way, and gone with the account. */
import { paise } from '@roz/core/money.ts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { migrate } from '../../db/migrate.ts'
import { connect, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { LaterError } from '../../jobs/queue.ts'
import { addMoney, untilLockWaits } from '../../ledger/testing/fixtures.ts'
import { bookPayout } from '../../ledger/withdrawals.ts'
import { makeMember, makeStaff, testSecrets, publicIdOf } from '../../testing/calls.ts'
import { APP_ROLE } from '../../testing/server-urls.ts'
import { useServicesWorld, type ServicesWorld } from '../../testing/services-world.ts'
import { BANK } from '../../testing/wallet-world.ts'
import { noteWithdrawal } from './withdrawal-signals.ts'

const world = useServicesWorld()
let db: ServicesWorld['database']['db']
let admin: bigint
let accounts = 0
let bank: typeof BANK
beforeAll(async () => {
  ;({ db } = world.database)
  admin = await makeStaff(db)
})
beforeEach(() => {
  bank = { ...BANK, accountNumber: String(500_000_000_000 + ++accounts) }
})

const ask = (call: string, as: bigint, body?: object) => world.calls.ask(call, { as, ...(body === undefined ? {} : { body }) })
const runDue = () => world.services.worker.runDue()
const topUp = (memberId: bigint) => addMoney(db, memberId, paise(3000n))
async function funded(name = 'Asha Verma'): Promise<bigint> {
  const memberId = await makeMember(db, { name })
  await topUp(memberId)
  return memberId
}
async function withdraw(memberId: bigint, amount = 10, to = bank): Promise<string> {
  const { status, body } = await ask('POST /wallet/withdraw', memberId, { amount, bankDetail: to })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.withdrawal.id
}
const note = (id: string) => noteWithdrawal({ db, secrets: testSecrets }, id)
async function noteOrLater(id: string): Promise<void> {
  try {
    await note(id)
  } catch (error) {
    if (!(error instanceof LaterError)) throw error
  }
}
const paid = (id: string) => inTransaction(db, (tx) => bookPayout(tx, { id, word: 'paid' }))
const pass = (days: number) => db.query(sql`select set_clock_offset((select offset_ms from clock_offset) + ${days * 86_400_000}::bigint)`)
/** The kinds that are noted of a member, whether a sign for the staff or not. */
const notedOf = async (memberId: bigint): Promise<string[]> =>
  (await db.query<{ kind: string }>(sql`select kind from signal_use where member_id = ${memberId}::bigint order by kind`)).map(
    ({ kind }) => kind,
  )
const flagsOf = async (memberId: bigint): Promise<string[]> => {
  return (await ask(`GET /admin/users/${await publicIdOf(db, memberId)}`, admin)).body.flags.map(({ kind }: { kind: string }) => kind)
}
/** Signs whose number of accounts is not the number of noted members. */
const miscounted = () =>
  db.query(sql`
    select s.id, s.members from signal s
     where s.members <> (select count(*) from signal_use u where u.kind = s.kind and u.key = s.key)`)

test('two accounts that withdraw to one bank account are on the review list and beside both decisions, and nothing is refused', async () => {
  const [asha, ravi] = [await funded(), await funded('Ravi Rao')]
  const orderId = await topUp(ravi)
  const first = await withdraw(asha)
  await runDue()
  expect(await notedOf(asha)).toContain('bank')
  expect(await flagsOf(asha)).not.toContain('shared_bank')
  // The account, not how its holder is written.
  const second = await withdraw(ravi, 10, { ...bank, accountHolderName: 'R Rao' })
  expect((await ask('POST /wallet/refunds', ravi, { order_id: orderId, amount: 5, reason: 'Too much.' })).status).toBe(200)
  await runDue()
  const listed = (await ask('GET /admin/flags?status=unreviewed', admin)).body.flags.filter(({ kind }: { kind: string }) => kind === 'bank')
  expect(listed).toMatchObject([{ count: 2, members: [{ name: 'Asha Verma' }, { name: 'Ravi Rao' }] }])
  for (const id of [first, second])
    expect((await ask(`GET /admin/withdrawals?q=${id}`, admin)).body.withdrawals[0].memberFlags).toContain('shared_bank')
  expect((await ask(`GET /admin/refunds?q=${orderId}`, admin)).body.refunds[0].memberFlags).toContain('shared_bank')
  expect((await ask(`POST /admin/withdrawals/${second}/approve`, admin, { status: 'requested' })).status).toBe(200)
  expect(JSON.stringify(await db.query(sql`select payload from job where kind = 'note_signals'`))).not.toContain(bank.accountNumber)
})

test('young money is a sign in an account of less than seven days, and only there', async () => {
  const [young, older, patient] = [await funded(), await makeMember(db), await funded()]
  await db.query(sql`update member set created_at = roz_now() - interval '7 days' where id = ${older}::bigint`)
  await topUp(older)
  await withdraw(young)
  await withdraw(older)
  await pass(4)
  await withdraw(patient)
  await runDue()
  expect([await flagsOf(young), await flagsOf(older), await flagsOf(patient)]).toEqual([
    ['shared_bank', 'young_account'],
    ['shared_bank'],
    ['shared_bank'],
  ])
})

test('a second run notes nothing more, and two runs at the same moment count the account once', async () => {
  const [asha, ravi] = [await funded(), await funded()]
  const ids = [await withdraw(asha), await withdraw(asha), await withdraw(ravi)]
  await Promise.all([...ids, ...ids].map(note))
  await Promise.all(ids.map(note))
  expect([await notedOf(asha), await notedOf(ravi)]).toEqual([
    ['bank', 'young_money'],
    ['bank', 'young_money'],
  ])
  expect(await miscounted()).toEqual([])
})

test('details that cannot be opened hold up no other withdrawal, and are noted once they can', async () => {
  const [broken, whole] = [await funded(), await funded()]
  const id = await withdraw(broken)
  const { sealed } = await db.one<{ sealed: Buffer }>(sql`select sealed from bank_account where member_id = ${broken}::bigint`)
  await db.query(sql`update bank_account set sealed = '\\x01'::bytea where member_id = ${broken}::bigint`)
  await withdraw(whole)
  await runDue()
  expect([await notedOf(broken), await notedOf(whole)]).toEqual([['young_money'], ['bank', 'young_money']])
  const failed = sql`kind = 'note_signals' and key = ${id}::text`
  expect(await db.one(sql`select done_at as "doneAt", last_error as error from job where ${failed}`)).toEqual({
    doneAt: null,
    error: expect.stringContaining('not an encrypted value'),
  })
  await db.query(sql`update bank_account set sealed = ${sealed}::bytea where member_id = ${broken}::bigint`)
  await db.query(sql`update job set due_at = roz_now() where ${failed}`)
  await runDue()
  expect(await notedOf(broken)).toEqual(['bank', 'young_money'])
})

test('while a note waits for its sign, the member withdraws, is held, and deletes the account; then nothing is noted of it', async () => {
  const [other, asha] = [await funded(), await funded()]
  await note(await withdraw(other))
  const id = await withdraw(asha)
  await paid(id)
  let noting: Promise<unknown> | undefined
  await inTransaction(db, async (tx) => {
    await tx.query(sql`select 1 from signal where kind = 'bank' for update`)
    noting = note(id).catch((error: unknown) => error)
    await untilLockWaits(db, '%insert into signal %')
    const second = await withdraw(asha, 20)
    const publicId = await publicIdOf(db, asha)
    for (const action of ['suspend', 'reinstate'])
      expect((await ask(`POST /admin/users/${publicId}/${action}`, admin, { reason: 'A look at the account.' })).status).toBe(200)
    await paid(second)
    expect((await ask('DELETE /user', asha)).status).toBe(204)
  })
  expect(await noting).toBeInstanceOf(LaterError)
  await note(id)
  expect(await notedOf(asha)).toEqual([])
  expect(await miscounted()).toEqual([])
})

test('a note waits for no decision about its account: it is made later', async () => {
  const asha = await funded()
  const id = await withdraw(asha)
  await inTransaction(db, async (tx) => {
    await tx.query(sql`select 1 from member where id = ${asha}::bigint for update`)
    await expect(note(id)).rejects.toBeInstanceOf(LaterError)
    expect(await notedOf(asha)).toEqual([])
  })
  await note(id)
  expect(await notedOf(asha)).toEqual(['bank', 'young_money'])
})

test('notes, withdrawals and deletions of accounts with one bank account never wait for each other, and deleted ones leave no sign', async () => {
  const members = await Promise.all(Array.from({ length: 6 }, () => funded()))
  const ids = await Promise.all(members.map((member) => withdraw(member)))
  await Promise.all([...ids.map(paid), ...ids.slice(3).map(note)])
  const actions = members.flatMap((member, index) => [
    noteOrLater(ids[index] ?? ''),
    index % 2 === 0 ? withdraw(member, 20).then(paid) : ask('POST /user/close', member, { gift: true }),
    ask('DELETE /user', member),
  ])
  await Promise.all(actions)
  const deleted = await db.query<{ id: bigint }>(
    sql`select id from member where id = any (${members}::bigint[]) and deleted_at is not null`,
  )
  expect(await miscounted()).toEqual([])
  for (const { id } of deleted) expect(await notedOf(id)).toEqual([])
  for (const member of members) expect((await ask('DELETE /user', member)).status).toBe(204)
  for (const id of ids) await note(id)
  for (const member of members) expect(await notedOf(member)).toEqual([])
  expect(await miscounted()).toEqual([])
})

test('withdrawals from before are noted after the update', async () => {
  const asha = await funded()
  const id = await withdraw(asha)
  await db.query(sql`delete from job where kind = 'note_signals'`)
  const owner = world.database.ownerUrl
  const asOwner = connect({ url: owner, max: 1 })
  await asOwner.query(sql`delete from schema_migration where name like '%note_withdrawals%'`)
  await asOwner.close()
  expect(await migrate(owner, { appRole: APP_ROLE, production: false })).toHaveLength(1)
  expect(await db.one(sql`select count(*)::int as n from job where kind = 'note_signals' and key = ${id}::text`)).toEqual({ n: 1 })
  await runDue()
  expect(await notedOf(asha)).toEqual(['bank', 'young_money'])
})
