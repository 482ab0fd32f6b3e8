import type { IstDay } from '@roz/core/ist-day.ts'
import { leafHash } from '@roz/core/draw.ts'
import { expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { createJoinBatcher } from '../ledger/join-batcher.ts'
import { useRoundsWorld } from '../testing/rounds-world.ts'
import { sha256 } from '../tickets/sha256.ts'
import { rootFromInclusion } from '../testing/verifier.ts'
import { createReceipts } from './receipts.ts'

const world = useRoundsWorld()

const DAY = '2026-11-21' as IstDay
const bytes = (text: string): Buffer => Buffer.from(text, 'hex')

test('simultaneous repeated requests for the receipts of one batch share a signature, and each gets its own path', async () => {
  const batcher = createJoinBatcher({ db: world.db })
  const members = await Promise.all([1, 2, 3].map(() => world.member(5)))
  for (const memberId of members) await world.ticketKeys.get(world.db, memberId, DAY)
  const joined = await Promise.all(members.map((memberId) => batcher.join({ memberId })))
  const receipts = await Promise.all(
    joined.map((outcome, index) => {
      if (!outcome.ok) throw new Error(outcome.code)
      const { batchId, day, at } = outcome.value
      // No receipts of the batch are cached, as after a restart or long after the batch.
      return world.receipts.of({ batchId, day, at, memberId: members[index] as bigint })
    }),
  )
  expect(new Set(receipts.map(({ receipt }) => receipt.signature)).size).toBe(
    new Set(joined.map((one) => one.ok && one.value.batchId)).size,
  )
  const roots = receipts.map(({ ticket, receipt }) =>
    rootFromInclusion(leafHash(sha256, bytes(ticket)), receipt.index, receipt.count, receipt.path.map(bytes)),
  )
  expect(new Set(roots.map((root) => Buffer.from(root as Uint8Array).toString('hex'))).size).toBe(
    new Set(receipts.map(({ receipt }) => receipt.signature)).size,
  )
})

test('a ticket key that cannot be read fails its own member’s receipt, and no other of the batch', async () => {
  const members = await Promise.all([1, 2, 3, 4].map(() => world.member(5)))
  for (const memberId of members) await world.ticketKeys.get(world.db, memberId, DAY)
  const [altered, short] = members as [bigint, bigint]
  await world.db.query(sql`
    update ticket_key set sealed_key = set_byte(sealed_key, 50, get_byte(sealed_key, 50) # 1) where member_id = ${altered}::bigint`)
  await world.db.query(sql`update ticket_key set sealed_key = substring(sealed_key for 40) where member_id = ${short}::bigint`)
  const batcher = createJoinBatcher({ db: world.db, onJoined: (batch) => world.receipts.begin(batch) })
  const joined = await Promise.all(members.map((memberId) => batcher.join({ memberId })))
  // Right after the batch, and later, when no receipts of the batch are cached.
  for (const receipts of [world.receipts, createReceipts({ db: world.db, keys: world.logKeys, ticketKeys: world.ticketKeys })]) {
    const made = await Promise.allSettled(
      joined.map((outcome, index) => {
        if (!outcome.ok) throw new Error(outcome.code)
        return receipts.of({ ...outcome.value, memberId: members[index] as bigint })
      }),
    )
    expect(made).toMatchObject([
      { status: 'rejected', reason: { memberIds: [altered] } },
      { status: 'rejected', reason: { memberIds: [short] } },
      { status: 'fulfilled' },
      { status: 'fulfilled' },
    ])
  }
  // They are kept from joining the next round.
  const kept = await world.db.query<{ id: bigint }>(sql`select member_id as id from unreadable_key order by member_id`)
  expect(kept.map(({ id }) => id)).toEqual([altered, short].toSorted((left, right) => Number(left - right)))
})
