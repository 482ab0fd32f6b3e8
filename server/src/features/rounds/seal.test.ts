/** The list of a closed round: written once, outside of its lock, and sealed unchanged. */
import type { IstDay } from '@roz/core/ist-day.ts'
import { beforeEach, expect, test } from 'vitest'
import { lockInTransaction } from '../../db/advisory-locks.ts'
import { sql } from '../../db/sql.ts'
import { holdOpen } from '../../ledger/testing/fixtures.ts'
import { createJoinBatcher } from '../../ledger/join-batcher.ts'
import { closeRound } from '../../ledger/rounds.ts'
import { inClockwork } from '../../ledger/round-lock.ts'
import { openRoundsWorld } from '../../testing/rounds-world.ts'
import { writeDayList } from '../../tickets/day-list.ts'
import { perTest } from '../../testing/fixture.ts'

const DAY = '2026-11-21' as IstDay
const ENTRIES = 3

const world = perTest(openRoundsWorld)
beforeEach(async () => {
  for (let n = 0; n < ENTRIES; n++) expect((await world.join(await world.member(2))).status).toBe(200)
})

const close = () => inClockwork(world.db, (tx) => closeRound(tx, DAY, { early: true }))
const pages = () =>
  world.db.query<{ page: number; tickets: Buffer }>(sql`select page, tickets from ticket_page where day = ${DAY}::date order by page`)
const closings = async () => (await world.log()).filter(({ kind, day }) => kind === 'close' && day === DAY)

test('a list that was written before a crash is sealed unchanged and once, by several processes at the same time', async () => {
  await close()
  const write = () => writeDayList(world.db, { day: DAY, entries: ENTRIES }, world.ticketKeys, { waits: false })
  expect(await write()).toBe(true)
  const written = await pages()
  expect(await write()).toBe(true)
  await Promise.all(Array.from({ length: 4 }, () => world.draws.sealClosed({ waits: true })))
  expect(await pages()).toEqual(written)
  expect(await closings()).toMatchObject([{ count: ENTRIES }])
})

test('a list with fewer tickets than rupees is not sealed', async () => {
  await close()
  const fewer = { ...world.ticketKeys, listEncryptedKeys: async () => undefined }
  await expect(writeDayList(world.db, { day: DAY, entries: ENTRIES }, fewer, { waits: false })).rejects.toThrow('0 tickets for 3 rupees')
  expect(await pages()).toEqual([])
  expect(await closings()).toEqual([])
  await world.runDue()
  expect(await closings()).toMatchObject([{ count: ENTRIES }])
})

test('while a process writes the list, a join is refused at once and no other process writes it', async () => {
  const other = await holdOpen(world.db, (tx) => lockInTransaction(tx, 'dayList'))
  await close()
  expect(await world.draws.sealClosed()).toBe(false)
  const late = await world.join(await world.member(2))
  expect(late).toMatchObject({ status: 409, body: { code: 'round_closed' } })
  expect(await pages()).toEqual([])
  const waiting = world.draws.sealClosed({ waits: true })
  await other.commit()
  expect(await waiting).toBe(true)
  expect(await closings()).toMatchObject([{ count: ENTRIES }])
})

test('an entrant without a key gets one before the list is written', async () => {
  expect((await createJoinBatcher({ db: world.db }).join({ memberId: await world.member(2) })).ok).toBe(true)
  await close()
  expect(await world.draws.sealClosed()).toBe(true)
  expect(await closings()).toMatchObject([{ count: ENTRIES + 1 }])
})
