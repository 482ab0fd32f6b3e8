/**
 * Seals a closed round (spec/protocol.md, chapter 3).
 *
 * - The list is written before (tickets/day-list.ts). Its root is computed from its stored pages, and logged with the seal.
 */
import { beaconRoundFor, DRAW_DELAY_MS, hex } from '@roz/core/draw.ts'
import { sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { recordSeal, type Round } from '../../ledger/rounds.ts'
import { readListRoot } from '../../tickets/day-list.ts'
import { appendRecord, getRecord } from '../../transparency-log/records.ts'

/** Seals a round that is closed with entries and whose list is written. */
export async function sealRound(tx: Tx, round: Round): Promise<void> {
  if (round.closedAt === null || round.entries === null || round.root !== null) throw new Error(`round ${round.day} cannot be sealed`)
  const root = await readListRoot(tx, { day: round.day, entries: round.entries })
  const { draw } = await getRecord(tx, round.day, 'open')
  // The time is read last, before the commit: nobody outside has seen the list until then.
  const { now } = await tx.one<{ now: Date }>(sql`select roz_now() as now`)
  const sealedAtMs = now.getTime()
  const beaconRound = draw.mode === 'beacon' ? beaconRoundFor(sealedAtMs, draw) : undefined
  const drawAt = new Date(beaconRound === undefined ? sealedAtMs : sealedAtMs + DRAW_DELAY_MS)
  await recordSeal(tx, round.day, { root, sealedAt: now, drawAt, beaconRound })
  const seal = { count: round.entries, root: hex(root), round: beaconRound ?? 0, sealedAt: sealedAtMs }
  await appendRecord(tx, { v: 1, kind: 'close', day: round.day, ...seal })
}
