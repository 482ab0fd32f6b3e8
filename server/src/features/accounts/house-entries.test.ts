/** Platform entries: the same two persons, bills and refusals as help, from the platform's own accounts. */
import { nextDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { recordDraw } from '../../ledger/draw.ts'
import { DAY, endDay, hashOf, newMembers, openDay } from '../../ledger/testing/fixtures.ts'
import { createJoinBatcher } from '../../ledger/join-batcher.ts'
import { recordSeal } from '../../ledger/rounds.ts'
import { settleRound } from '../../ledger/settlement.ts'
import { useHelpWorld } from '../../testing/help-world.ts'

const world = useHelpWorld({ approvalAbove: 1 })
/** Forty joined: the platform has ₹4, and ₹1.20 of the prize are tax. The limit of one person is ₹1. */
beforeAll(async () => {
  const { db } = world
  const members = await newMembers(db, 40, { rupees: 10 })
  const batcher = createJoinBatcher({ db })
  for (const memberId of members) await batcher.join({ memberId })
  await endDay(world.database, DAY)
  await inTransaction(db, async (tx) => {
    await recordSeal(tx, DAY, { root: hashOf('root'), drawAt: new Date(startOfDayMs(nextDay(DAY))) })
    const taxOn = (prize: bigint) => paise(prize / 10n)
    await recordDraw(tx, { day: DAY, randomness: hashOf('r'), seed: hashOf('s'), winners: members.slice(0, 1), taxOn })
  })
  await openDay(world.database, nextDay(DAY))
  expect((await inTransaction(db, (tx) => settleRound(tx, DAY))).ok).toBe(true)
})

const ask = async (kind: string, amount: number, as = world.staff.finance) =>
  world.calls.ask('POST /admin/house-entries', {
    as,
    body: { kind, amount, purpose: 'office rent', translations: { hi: 'दफ़्तर का किराया' }, receipts: [await world.bill()] },
  })
const decide = (id: string, action: 'approve' | 'reject', as = world.staff.owner) =>
  world.calls.ask(`POST /admin/house-entries/${id}/${action}`, {
    as,
    body: { status: 'requested', ...(action === 'reject' ? { reason: 'Not due yet' } : {}) },
  })
/** The lines of the staff log about an entry: who did what, and why. */
const linesOf = async (id: string): Promise<unknown[]> =>
  (
    await world.db.query<{ action: string; actorId: bigint; after: { reason?: string } | null }>(
      sql`select action, actor_id as "actorId", after from audit_log where subject = ${`outlay:${id}`}::text order by id`,
    )
  ).map(({ action, actorId, after }) => [action, actorId, after?.reason])
const list = async () => (await world.calls.ask('GET /admin/house-entries', { as: world.staff.auditor })).body

test('the list says what each kind of entry can take, and where one person is enough', async () => {
  expect(await list()).toEqual({
    entries: [],
    payable: { platform_out: 4, tds_remitted: 1.2, losses_covered: 0 },
    approvalAbove: 1,
    nextCursor: null,
  })
})

test('a small entry is booked at once, and lowers what can be paid', async () => {
  const { body } = await ask('tds_remitted', 0.2)
  const table = await world.calls.ask('GET /admin/house-entries.csv?status=booked', { as: world.staff.auditor })
  const [head, row, ...rest] = table.text.trimEnd().split('\r\n')
  expect(head).toBe('id,asked,kind,amount,status,purpose,asked_by,decided_by,decided,reason,receipts,settled_on,fee')
  expect(row).toMatch(new RegExp(`^${body.entry.id},.*,tds_remitted,0.2,booked,office rent,.*,${body.entry.receipts[0].hash},,$`))
  expect(rest).toEqual([])
  expect(body.entry).toMatchObject({ kind: 'tds_remitted', amount: 0.2, status: 'booked', needsSecond: false })
  expect(body.entry).toMatchObject({ purpose: 'office rent', language: 'en', translations: { hi: 'दफ़्तर का किराया' } })
  const found = await world.calls.ask(`GET /admin/house-entries?q=${encodeURIComponent('किराया')}`, { as: world.staff.auditor })
  expect(found.body.entries).toEqual([body.entry])
  expect((await list()).payable.tds_remitted).toBe(1)
  expect((await list()).entries).toEqual([body.entry])
})

test('a larger one waits for another person; of two approvals at once one books', async () => {
  const { id } = (await ask('platform_out', 1.5)).body.entry
  expect((await decide(id, 'approve', world.staff.finance)).body.code).toBe('own_request')
  const answers = await Promise.all([decide(id, 'approve'), decide(id, 'approve')])
  expect(answers.map(({ body }) => body.code ?? 'booked').sort()).toEqual(['booked', 'changed_since_seen'])
  const { finance, owner } = world.staff
  expect(await linesOf(id)).toEqual([
    ['platform_out.ask', finance, undefined],
    ['entry.approve', owner, undefined],
  ])
  expect(await world.db.one(sql`select amount from transfer where kind = 'platform_out'`)).toEqual({ amount: 150n })
})

test('two requests that together take more than there is: the second approval is refused', async () => {
  const [first, second] = [await ask('platform_out', 1.5), await ask('platform_out', 1.5)]
  expect((await decide(first.body.entry.id, 'approve')).status).toBe(200)
  expect((await decide(second.body.entry.id, 'approve')).body.code).toBe('insufficient_funds')
  expect((await decide(second.body.entry.id, 'reject')).body.entry).toMatchObject({ status: 'rejected', reason: 'Not due yet' })
  const { finance, owner } = world.staff
  expect(await linesOf(second.body.entry.id)).toEqual([
    ['platform_out.ask', finance, undefined],
    ['entry.reject', owner, 'Not due yet'],
  ])
})

test('losses that nobody had cannot be covered, and no kind takes more than there is', async () => {
  for (const kind of ['losses_covered', 'platform_out', 'tds_remitted']) expect((await ask(kind, 5)).body.code).toBe('insufficient_funds')
})

test('a platform entry is no disbursement, and an editor sees and decides none', async () => {
  const { id } = (await ask('tds_remitted', 0.1)).body.entry
  const asHelp = await world.calls.ask(`POST /admin/disbursements/${id}/approve`, { as: world.staff.owner, body: { status: 'booked' } })
  expect(asHelp.body.code).toBe('outlay_not_found')
  expect((await ask('tds_remitted', 0.1, world.staff.editor)).body.code).toBe('forbidden')
  expect((await world.calls.ask('GET /admin/house-entries', { as: world.staff.editor })).body.code).toBe('forbidden')
})
