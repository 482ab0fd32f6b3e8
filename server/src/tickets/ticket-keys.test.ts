import type { IstDay } from '@roz/core/ist-day.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../db/transaction.ts'
import { createJoinBatcher } from '../ledger/join-batcher.ts'
import { openRoundsWorld, type RoundsWorld } from '../testing/rounds-world.ts'
import { testSecrets } from '../testing/calls.ts'
import { keyContextOf } from './ticket.ts'

let world: RoundsWorld
beforeAll(async () => {
  world = await openRoundsWorld()
})
afterAll(() => world.close())

const DAY = '2026-11-21' as IstDay

test('an entrant who has no key yet and asks for the ticket while the list is sealed is shown the one in the list', async () => {
  const { db, ticketKeys } = world
  const member = await world.member(5)
  expect((await createJoinBatcher({ db }).join({ memberId: member })).ok).toBe(true)
  let asked: ReturnType<typeof ticketKeys.ensure> | undefined
  const sealed = await inTransaction(db, async (tx) => {
    await ticketKeys.ensureForEntrants(tx, DAY)
    asked = inTransaction(db, (other) => ticketKeys.ensure(other, member))
    await new Promise((resolve) => setTimeout(resolve, 150))
    return ticketKeys.listSealedKeys(tx, DAY, 0n, 10)
  })
  const shown = await asked
  const key = testSecrets.open(Buffer.from(sealed?.sealed ?? '', 'base64'), keyContextOf(member))
  expect(shown?.ok && shown.value.key).toBe(key.toString('hex'))
  expect(await ticketKeys.find(db, member, DAY)).toEqual(shown?.ok && shown.value)
})
