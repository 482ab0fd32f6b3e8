import { once } from 'node:events'
import { type AddressInfo, connect as connectTcp, createServer, type Server, type Socket } from 'node:net'
import type { IstDay } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Db, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { DAY, holdOpen, newMember, newMembers, openDay, untilLockWaits } from './testing/fixtures.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { closeRound } from './rounds.ts'
import { lockWallet } from './transfer.ts'

/** A proxy to the database that can lose the next request, or the answer to it. */
type Wire = {
  readonly server: Server
  mode: 'through' | 'lose answer' | 'lose answer to COMMIT' | 'lose sending'
  onLoss: () => Promise<void>
}

const database = useTestDatabase()
let wire: Wire
let db: Db
beforeAll(async () => {
  const target = new URL(database.appUrl)
  const port = Number(target.port)
  wire = { server: createServer((client) => carry(client, port)), mode: 'through', onLoss: async () => undefined }
  wire.server.listen(0, '127.0.0.1')
  await once(wire.server, 'listening')
  target.port = String((wire.server.address() as AddressInfo).port)
  db = connect({ url: target.href, max: 6 })
  await openDay(database, DAY)
})
afterAll(async () => {
  await db.close()
  wire.server.close()
})

function carry(client: Socket, port: number): void {
  const upstream = connectTcp(port, '127.0.0.1')
  let losing = false
  client.on('error', () => undefined)
  upstream.on('error', () => undefined)
  client.on('close', () => upstream.destroy())
  upstream.on('close', () => client.destroy())
  client.on('data', (bytes: Buffer) => {
    if (wire.mode === 'lose sending') {
      wire.mode = 'through'
      client.destroy()
      return
    }
    if (wire.mode === 'lose answer' || (wire.mode === 'lose answer to COMMIT' && bytes.includes('COMMIT'))) {
      wire.mode = 'through'
      losing = true
    }
    upstream.write(bytes)
  })
  upstream.on('data', (bytes: Buffer) => {
    if (!losing) client.write(bytes)
    else void wire.onLoss().then(() => client.destroy())
  })
}

const warm = () => db.query(sql`select 1 as warm`)
const joinsOf = async (ids: readonly bigint[]): Promise<number> =>
  (await database.db.one<{ n: number }>(sql`select count(*)::int as n from round_join where member_id = any(${ids}::bigint[])`)).n

test('a join whose answer was lost after the commit is acknowledged and charged once', async () => {
  await warm()
  const members = await newMembers(database.db, 10, { rupees: 10 })
  wire.mode = 'lose answer'
  const batcher = createJoinBatcher({ db })
  const outcomes = await Promise.all(members.map((memberId) => batcher.join({ memberId })))
  expect(wire.mode).toBe('through')
  for (const outcome of outcomes) expect(outcome).toMatchObject({ ok: true, value: { balance: wholeRupees(9), replayed: false } })
  expect(await joinsOf(members)).toBe(10)
})

test('a join that was lost on its way to the database is sent again', async () => {
  await warm()
  const memberId = await newMember(database.db, { rupees: 10 })
  wire.mode = 'lose sending'
  expect(await createJoinBatcher({ db }).join({ memberId })).toMatchObject({ ok: true, value: { balance: wholeRupees(9) } })
  expect(await joinsOf([memberId])).toBe(1)
})

test('a join whose answer was lost before an early close is found by its batch', async () => {
  const day = '2026-11-22' as IstDay
  await openDay(database, day)
  await warm()
  const memberId = await newMember(database.db, { rupees: 10 })
  wire.onLoss = async () => {
    await inTransaction(database.db, (tx) => closeRound(tx, day, { early: true }))
  }
  wire.mode = 'lose answer'
  expect(await createJoinBatcher({ db }).join({ memberId })).toMatchObject({ ok: true, value: { day } })
  wire.onLoss = async () => undefined
})

test('a join whose answer was lost over midnight is not charged for the new day', async () => {
  const [day, next] = ['2026-11-23' as IstDay, '2026-11-24' as IstDay]
  await openDay(database, day)
  await warm()
  const memberId = await newMember(database.db, { rupees: 10 })
  wire.onLoss = () => openDay(database, next)
  wire.mode = 'lose answer'
  expect(await createJoinBatcher({ db }).join({ memberId })).toMatchObject({ ok: true, value: { day, balance: wholeRupees(9) } })
  expect(await joinsOf([memberId])).toBe(1)
  wire.onLoss = async () => undefined
})

test('a join that waits alone for a locked wallet and loses its answer is charged once', async () => {
  await openDay(database, '2026-11-25' as IstDay)
  const memberId = await newMember(database.db, { rupees: 10 })
  await Promise.all([warm(), warm(), warm()])
  const held = await holdOpen(database.db, (tx) => lockWallet(tx, memberId))
  const joining = createJoinBatcher({ db }).join({ memberId })
  await untilLockWaits(database.db, '%from wallet%for no key update')
  wire.mode = 'lose answer to COMMIT'
  await held.commit()
  expect(await joining).toMatchObject({ ok: true, value: { balance: wholeRupees(9) } })
  expect(wire.mode).toBe('through')
  expect(await joinsOf([memberId])).toBe(1)
})

test('each batch is reported with its own members after a lost answer', async () => {
  await openDay(database, '2026-11-26' as IstDay)
  const [free, locked] = [await newMember(database.db, { rupees: 10 }), await newMember(database.db, { rupees: 10 })]
  await warm()
  const held = await holdOpen(database.db, (tx) => lockWallet(tx, locked))
  let released: Promise<unknown> | undefined
  wire.onLoss = async () => void (await (released ??= held.commit()))
  wire.mode = 'lose answer'
  const told: { batchId: bigint; memberId: bigint }[] = []
  const onJoined = ({ batchId, memberIds }: { batchId: bigint; memberIds: readonly bigint[] }): void =>
    void told.push(...memberIds.map((memberId) => ({ batchId, memberId })))
  const batcher = createJoinBatcher({ db, onJoined })
  const outcomes = await Promise.all([free, locked].map((memberId) => batcher.join({ memberId })))
  expect(outcomes.map(({ ok }) => ok)).toEqual([true, true])
  const joined = await database.db.query(
    sql`select batch_id as "batchId", member_id as "memberId" from round_join where member_id = any(${[free, locked]}::bigint[]) order by member_id`,
  )
  expect(told.toSorted((left, right) => Number(left.memberId - right.memberId))).toEqual(joined)
  wire.onLoss = async () => undefined
})

test('a join without a database fails as unavailable, not as a refusal', async () => {
  const nowhere = connect({ url: 'postgres://a:b@127.0.0.1:1/x' })
  await expect(createJoinBatcher({ db: nowhere }).join({ memberId: 1001n })).rejects.toThrow('database is unreachable')
  await nowhere.close()
})
