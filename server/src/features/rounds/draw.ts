/**
 * A day's draw: commit, seal, reveal, pick (spec/protocol.md).
 *
 * - A draw is computed only from published records: the open and the close record.
 * - In local mode the secret is committed to before the first entry, and decrypted only after the list is sealed.
 * - Every view of a winner in local mode says that the draw is weak.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { drawSeed, hex, pickPositions } from '@roz/core/draw.ts'
import type { OpenRecord } from '@roz/core/draw-records.ts'
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { ENTRY_FEE, paise } from '@roz/core/money.ts'
import { shares, type SplitPolicy, type TaxPolicy, taxOn } from '@roz/core/split.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Beacon, BeaconChain } from '../../adapters/beacon/port.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { type Handlers, invalid } from '../../http/route.ts'
import type { Attempt } from '../../jobs/parking.ts'
import { recordDraw } from '../../ledger/draw.ts'
import { isGivenUp, lockRound, makeRound } from '../../ledger/rounds.ts'
import { voidRound } from '../../ledger/settlement.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { forgetOwners, ticketsAt, writeDayList } from '../../tickets/day-list.ts'
import { sha256 } from '../../tickets/sha256.ts'
import type { TicketKeys } from '../../tickets/ticket-keys.ts'
import { appendRecord, getRecord } from '../../transparency-log/records.ts'
import { findRandomness, secretContextOf } from './randomness.ts'
import { createWaiting } from './wait.ts'

export type DrawsDeps = {
  readonly db: Db
  readonly secrets: Secrets
  readonly ticketKeys: TicketKeys
  /** Tax withheld from prizes of rounds made from now on. */
  readonly tax: TaxPolicy
  readonly beacon: Beacon
  /** The beacon chain of rounds made from now on; undefined: local mode. */
  readonly chain: BeaconChain | undefined
  /** The witnesses whose cosignatures will prove that a list was sealed in time. */
  readonly witnesses: OpenRecord['witnesses']
  readonly attempt: Attempt
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>
}

const PROTOCOL = new URL('../../../../spec/protocol.md', import.meta.url)
const bytesOf = (text: string): Buffer => Buffer.from(text, 'hex')

export type Draws = ReturnType<typeof createDraws>

export function createDraws({ db, secrets, ticketKeys, tax, beacon, chain, witnesses, attempt, log }: DrawsDeps) {
  // Every open record names the hash of the rules of its day.
  const page = readFileSync(PROTOCOL)
  const rules = hex(sha256(page))
  const waiting = createWaiting({
    db,
    beacon,
    writeList: (list, options) => writeDayList(db, list, ticketKeys, options),
    endWithoutBeacon,
    attempt,
    log,
  })

  const handlers: Handlers<'ticketKey' | 'setTicketKey'> = {
    ticketKey: async ({ session, query }) => {
      const asked = query.day === undefined ? undefined : parseDay(query.day)
      if (query.day !== undefined && asked === undefined) return invalid({ day: 'day_invalid' })
      const { today } = await db.one<{ today: IstDay }>(sql`select ist_day(roz_now()) as today`)
      const found = await ticketKeys.find(db, session.memberId, asked ?? today)
      return { ok: true, value: found ?? { key: null, custodial: false } }
    },
    setTicketKey: ({ session, body }) => inTransaction(db, (tx) => ticketKeys.change(tx, session.memberId, body.ticketKey)),
  }

  return {
    handlers,

    /** Makes a day's round with its commitment and logs both; false when the round exists. */
    async open(tx: Tx, day: IstDay, policy: SplitPolicy): Promise<boolean> {
      const source = sourceOf(day)
      if (!(await makeRound(tx, { day, policy, ...source.round }))) return false
      await tx.query(sql`insert into rules_page (hash, bytes) values (${bytesOf(rules)}::bytea, ${page}::bytea) on conflict do nothing`)
      const { name, need, reward, platform, winners } = policy
      await appendRecord(tx, {
        v: 1,
        kind: 'open',
        day,
        stake: Number(ENTRY_FEE),
        split: { policy: name, need, reward, platform, winners },
        tax: { percent: tax.percent, above: Number(tax.above) },
        rules,
        draw: source.draw,
        witnesses,
      })
      return true
    },

    /** Writes and seals the oldest list that waits for its seal; with a beacon once its clock and ours agree. False: not now. */
    sealClosed: (options?: { readonly waits: boolean }): Promise<boolean> => waiting.sealClosed(options),
    due: (now: Date): Promise<boolean> => waiting.due(now),

    /** Ends a closed round without entries. */
    async endEmpty(tx: Tx, day: IstDay): Promise<void> {
      const ended = await voidRound(tx, day)
      if (!ended.ok) throw new Error(`round ${day} cannot end void: ${ended.code}`)
      if (!ended.value.already) await appendRecord(tx, { v: 1, kind: 'void', day, reason: 'empty', returned: 0 })
    },

    /** Draws a sealed round and logs the result. A round that is drawn already, or whose beacon number is missing, stays unchanged. */
    async draw(tx: Tx, day: IstDay): Promise<void> {
      const round = await lockRound(tx, day)
      if (round?.status !== 'closed' || round.root === null || isGivenUp(round)) return
      const [open, close] = [await getRecord(tx, day, 'open'), await getRecord(tx, day, 'close')]
      const sealed = { day, count: close.count, root: bytesOf(close.root) }
      const source = await findRandomness(tx, secrets, { round, open, close, sealed })
      if (source === undefined) return
      const seed = drawSeed(sha256, sealed, source)
      const positions = pickPositions(sha256, seed, close.count, open.split.winners)
      const drawn = await ticketsAt(tx, day, positions)
      const withheld: TaxPolicy = { percent: open.tax.percent, above: paise(BigInt(open.tax.above)) }
      await recordDraw(tx, {
        day,
        randomness: Buffer.from(source.randomness),
        seed: Buffer.from(seed),
        winners: drawn.map(({ memberId }) => memberId),
        taxOn: (prize) => taxOn(prize, withheld),
      })
      await forgetOwners(tx, day)
      const pool = close.count * open.stake
      const cut = shares(paise(BigInt(pool)), close.count, { ...open.split, name: open.split.policy })
      await appendRecord(tx, {
        v: 1,
        kind: 'result',
        day,
        randomness: hex(source.randomness),
        seed: hex(seed),
        ...source.proof,
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

  /** The source of the day's randomness, as its round and its open record store it. */
  function sourceOf(day: IstDay) {
    if (chain !== undefined)
      return { round: { mode: 'drand', chainHash: bytesOf(chain.chainHash) }, draw: { mode: 'beacon', ...chain } } as const
    const secret = randomBytes(32)
    const secretHash = Buffer.from(sha256(secret))
    const encryptedSecret = secrets.encrypt(secret, secretContextOf(day))
    return { round: { mode: 'local', secretHash, encryptedSecret }, draw: { mode: 'local', chainHash: hex(secretHash) } } as const
  }
}

/** Ends a sealed round whose beacon number is missing. After this record no signature that appears can make a draw of it. */
async function endWithoutBeacon(tx: Tx, day: IstDay): Promise<void> {
  const ended = await voidRound(tx, day)
  if (!ended.ok) throw new Error(`round ${day} cannot end void: ${ended.code}`)
  if (ended.value.already) return
  await forgetOwners(tx, day)
  const { count } = await getRecord(tx, day, 'close')
  await appendRecord(tx, { v: 1, kind: 'void', day, reason: 'beacon', returned: count * Number(ENTRY_FEE) })
}
