/** Creates the members of a run through the ledger's own functions: registered, confirmed, logged in and with money. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { paise } from '@roz/core/money.ts'
import { type Db, sql } from '@roz/server/db/sql.ts'
import { inTransaction } from '@roz/server/db/transaction.ts'
import { captureTopup, createTopup } from '@roz/server/ledger/topups.ts'
import { openWallet } from '@roz/server/ledger/wallets.ts'
import type { Journal } from './journal.ts'

export type Member = {
  readonly id: string
  readonly publicId: string
  readonly token: string
  /** Auto Participate is on. */
  readonly autoJoin: boolean
  /** The newest day with an acknowledged join. */
  joined: string
  /** A client acts for this member: a person does one thing at a time. */
  busy: boolean
}

const START_PAISE = 6000n
const AUTO_JOIN_EVERY = 3

export async function makeMembers(db: Db, journal: Journal, count: number): Promise<Member[]> {
  const members: Member[] = []
  for (let n = 0; n < count; n++) members.push(await makeMember(db, journal, n % AUTO_JOIN_EVERY === 0))
  return members
}

async function makeMember(db: Db, journal: Journal, autoJoin: boolean): Promise<Member> {
  const token = randomBytes(32).toString('base64url')
  const orderId = randomUUID().replaceAll('-', '')
  const amount = paise(START_PAISE)
  const { id, publicId } = await inTransaction(db, async (tx) => {
    const row = await tx.one<{ id: bigint; publicId: string }>(sql`
      insert into member (name, email, phone, email_verified_at) values ('Asha Verma', ${`${orderId}@x.test`}::text, '9876543210', roz_now())
          returning id, public_id as "publicId"`)
    await openWallet(tx, row.id, { mayMove: true, autoJoin })
    await tx.query(sql`
      insert into session (token_hash, member_id, kind, expires_at)
      values (${createHash('sha256').update(token).digest()}::bytea, ${row.id}::bigint, 'member', roz_now() + interval '30 days')`)
    await createTopup(tx, { orderId, memberId: row.id, amount })
    await captureTopup(tx, { orderId, paymentId: `start_${orderId}`, orderAmount: amount })
    return row
  })
  const memberId = id.toString()
  journal.told(journal.tried({ kind: 'topup', memberId, paise: Number(amount) }), orderId)
  const payment = journal.tried({ kind: 'payment', memberId, subject: orderId })
  journal.told(payment, orderId)
  journal.told(journal.tried({ kind: 'credit', memberId, subject: orderId }), orderId)
  return { id: memberId, publicId, token, autoJoin, joined: '', busy: false }
}
