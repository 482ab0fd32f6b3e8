/**
 * A day's draw, in local mode: commit, seal, reveal, pick (spec/protocol.md). Invariants: what a draw
 * is computed from is what the log has published, the open and the close record; the secret is
 * committed to before the first entry and leaves its seal only after the list is sealed; whoever
 * shows a winner of this mode says that it is weak.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { drawSeed, hex, localRandomness, pickPositions } from '@roz/core/draw.ts'
import type { OpenRecord } from '@roz/core/draw-records.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { shares, type SplitPolicy, type TaxPolicy, taxOn } from '@roz/core/split.ts'
import { type Db, one, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { Handlers } from '../../http/route.ts'
import { recordDraw } from '../../ledger/draw.ts'
import { lockRound, makeRound, type Round } from '../../ledger/rounds.ts'
import { voidRound } from '../../ledger/settlement.ts'
import type { Secrets } from '../../secrets.ts'
import { sha256 } from '../../tickets/sha256.ts'
import type { TicketKeys } from '../../tickets/ticket-keys.ts'
import { appendRecord, getRecord } from './log.ts'
import { sealRound } from './sealing.ts'

export type DrawsDeps = {
  readonly db: Db
  readonly secrets: Secrets
  readonly ticketKeys: TicketKeys
  /** Tax withheld from prizes of rounds made from now on. */
  readonly tax: TaxPolicy
}

/** Cosignatures that a day sealed in time will need; no witness is asked yet (protocol, chapter 9). */
const WITNESSES: OpenRecord['witnesses'] = { keys: [], quorum: 2 }
const ENTRY_FEE_PAISE = 100
const PROTOCOL = new URL('../../../../spec/protocol.md', import.meta.url)
const contextOf = (day: IstDay): string => `day_secret:${day}`
const bytesOf = (text: string): Buffer => Buffer.from(text, 'hex')

export function createDraws({ db, secrets, ticketKeys, tax }: DrawsDeps) {
  // In every open record: by which rules the day is held.
  const rules = hex(sha256(readFileSync(PROTOCOL)))

  const handlers: Handlers<'ticketKey' | 'setTicketKey'> = {
    ticketKey: async ({ session }) => {
      const { today } = await one<{ today: IstDay }>(db, sql`select ist_day(roz_now()) as today`)
      const found = await ticketKeys.find(db, session.memberId, today)
      return { ok: true, value: found ?? { key: null, custodial: false } }
    },
    setTicketKey: ({ session, body }) => inTransaction(db, (tx) => ticketKeys.change(tx, session.memberId, body.ticketKey)),
  }

  return {
    handlers,

    /** Makes a day's round with its commitment and logs both; false when it was there. */
    async open(tx: Tx, day: IstDay, policy: SplitPolicy): Promise<boolean> {
      const secret = randomBytes(32)
      const secretHash = Buffer.from(sha256(secret))
      if (!(await makeRound(tx, { day, policy, mode: 'local', secretHash, sealedSecret: secrets.seal(secret, contextOf(day)) })))
        return false
      const { name, need, reward, platform, winners } = policy
      await appendRecord(tx, {
        v: 1,
        kind: 'open',
        day,
        stake: ENTRY_FEE_PAISE,
        split: { policy: name, need, reward, platform, winners },
        tax: { percent: tax.percent, above: Number(tax.above) },
        rules,
        draw: { mode: 'local', chainHash: hex(secretHash) },
        witnesses: WITNESSES,
      })
      return true
    },

    /** Writes and seals the list of a round that this transaction has closed with entries. */
    seal: (tx: Tx, round: Round): Promise<void> => sealRound(tx, round, ticketKeys),

    /** Ends a closed round that nobody is in. */
    async endEmpty(tx: Tx, day: IstDay): Promise<void> {
      const ended = await voidRound(tx, day)
      if (!ended.ok) throw new Error(`round ${day} cannot end void: ${ended.code}`)
      if (!ended.value.already) await appendRecord(tx, { v: 1, kind: 'void', day, reason: 'empty', returned: 0 })
    },

    /** Draws a sealed round and logs the result. A round that is drawn already stays as it is. */
    async draw(tx: Tx, day: IstDay): Promise<void> {
      const round = await lockRound(tx, day)
      if (round?.status !== 'closed') return
      const [open, close] = [await getRecord(tx, day, 'open'), await getRecord(tx, day, 'close')]
      const sealed = { day, count: close.count, root: bytesOf(close.root) }
      const secret = revealed(round, open)
      const chainHash = bytesOf(open.draw.chainHash)
      const randomness = localRandomness(sha256, secret, sealed)
      const seed = drawSeed(sha256, sealed, { chainHash, round: close.round, randomness })
      const positions = pickPositions(sha256, seed, close.count, open.split.winners)
      const drawn = await ticketsAt(tx, day, positions)
      const withheld: TaxPolicy = { percent: open.tax.percent, above: paise(BigInt(open.tax.above)) }
      await recordDraw(tx, {
        day,
        randomness: Buffer.from(randomness),
        seed: Buffer.from(seed),
        winners: drawn.map(({ memberId }) => memberId),
        taxOn: (prize) => taxOn(prize, withheld),
      })
      const pool = close.count * open.stake
      const cut = shares(paise(BigInt(pool)), close.count, { ...open.split, name: open.split.policy })
      await appendRecord(tx, {
        v: 1,
        kind: 'result',
        day,
        randomness: hex(randomness),
        seed: hex(seed),
        secret: hex(secret),
        shares: { need: Number(cut.need), platform: Number(cut.platform), pool },
        winners: drawn.map(({ position, ticket }) => ({
          amount: Number(cut.prize),
          position,
          tax: Number(taxOn(cut.prize, withheld)),
          ticket: hex(ticket),
        })),
      })
    },
  }

  /** S, which must be the one that was committed to. */
  function revealed(round: Round, open: OpenRecord): Buffer {
    if (round.sealedSecret === null) throw new Error(`round ${round.day} has no secret`)
    const secret = secrets.open(round.sealedSecret, contextOf(round.day))
    if (hex(sha256(secret)) !== open.draw.chainHash) throw new Error(`the secret of ${round.day} is not the one that was committed to`)
    return secret
  }
}

type Drawn = { readonly position: number; readonly memberId: bigint; readonly ticket: Buffer }

/** Tickets at positions, in the order of the positions given. */
async function ticketsAt(tx: Tx, day: IstDay, positions: readonly number[]): Promise<Drawn[]> {
  const drawn = await tx.query<Drawn>(sql`
    select t.position::float8 as position, t.member_id as "memberId", t.ticket
      from unnest(${positions}::bigint[]) with ordinality as p(position, rank)
      join ticket t on t.day = ${day}::date and t.position = p.position
     order by p.rank`)
  if (drawn.length !== positions.length) throw new Error(`the list of ${day} has no ticket at a picked position`)
  return drawn
}
