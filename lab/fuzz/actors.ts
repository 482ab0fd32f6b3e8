/**
 * The callers: members in every state, staff of every role, and tokens that open nothing.
 * - Their rows and sessions are written by the ledger's own functions, so that no call waits for a mail.
 * - `makeActors` makes what is missing: requests end sessions, and suspend, remove and close accounts.
 * - Some members of earlier calls come back: they have entries of ended days.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { STAFF_ROLES, type StaffRole } from '@roz/contract/roles.ts'
import { paise } from '@roz/core/money.ts'
import { type Db, sql } from '@roz/server/db/sql.ts'
import { inTransaction } from '@roz/server/db/transaction.ts'
import { captureTopup, createTopup } from '@roz/server/ledger/topups.ts'
import { openWallet } from '@roz/server/ledger/wallets.ts'
import type { Known } from './known.ts'

export type Actor = { readonly label: string; readonly token: string | undefined; readonly role?: StaffRole }
export type Actors = {
  readonly nobody: Actor
  /** Members who may move money. */
  readonly members: readonly Actor[]
  readonly all: readonly Actor[]
}
export const tokenOf = ({ token }: Actor): string | undefined => token

type State = 'rich' | 'poor' | 'suspended' | 'unverified'
const STATES: readonly State[] = ['rich', 'rich', 'poor', 'suspended', 'unverified']
const RICH_PAISE = 20_000n

type Made = { readonly id: bigint; readonly publicId: string }

let made = 0
/** `passwordHash` is of the password that all of them have. */
export async function makeActors(db: Db, known: Known, passwordHash: string): Promise<Actors> {
  const members: Actor[] = []
  const others: Actor[] = []
  for (const { id } of await findJoined(db)) members.push({ label: `member ${id}, of before`, token: await openSession(db, id, 'member') })
  for (const state of STATES) {
    const { id, publicId } = await makeMember(db, state, known, passwordHash)
    known.put('/admin/users', publicId)
    const actor = { label: `member ${id}, ${state}`, token: await openSession(db, id, 'member') }
    if (state === 'rich' || state === 'poor') members.push(actor)
    else others.push(actor)
  }
  for (const role of STAFF_ROLES) {
    const id = await findStaff(db, role, known, passwordHash)
    others.push({ label: role, role, token: await openSession(db, id, 'admin') })
    others.push({ label: `${role} without a step-up`, token: await openSession(db, id, 'admin', '1 hour') })
    if (role === 'owner') others.push({ label: 'staff as a member', token: await openSession(db, id, 'member') })
  }
  const nobody = { label: 'nobody', token: undefined }
  const strangers = ['a'.repeat(43), 'null', 'é'.repeat(20), 'x'.repeat(3000), '%00'].map((token) => ({ label: 'an unknown token', token }))
  return { nobody, members, all: [nobody, ...members, ...others, ...strangers] }
}

async function makeMember(db: Db, state: State, known: Known, passwordHash: string): Promise<Made> {
  const email = `fuzz.${++made}.${randomBytes(4).toString('hex')}@x.test`
  known.put('email', email)
  return inTransaction(db, async (tx) => {
    const row = await tx.one<Made>(sql`insert into member (name, email, phone, password_hash, email_verified_at, suspended_at)
          values ('Asha Verma', ${email}::text, '9876543210', ${passwordHash}::text,
                  case when ${state}::text <> 'unverified' then roz_now() end, case when ${state}::text = 'suspended' then roz_now() end)
          returning id, public_id as "publicId"`)
    await openWallet(tx, row.id, { mayMove: state === 'rich' || state === 'poor', autoJoin: made % 3 === 0 })
    if (state === 'poor') return row
    const orderId = randomUUID().replaceAll('-', '')
    const amount = paise(RICH_PAISE)
    await createTopup(tx, { orderId, memberId: row.id, amount })
    await captureTopup(tx, { orderId, paymentId: `fuzz_${orderId}`, orderAmount: amount })
    known.put('order', orderId)
    return row
  })
}

/** Two members with an entry of an ended day, the newest first. */
const findJoined = (db: Db): Promise<{ id: bigint }[]> =>
  db.query(sql`
    select id from member
     where deleted_at is null and suspended_at is null and email like 'fuzz.%' and role = 'member'
       and exists (select from round_join j where j.member_id = member.id and j.day < ist_day(roz_now()))
     order by id desc limit 2`)

async function findStaff(db: Db, role: StaffRole, known: Known, passwordHash: string): Promise<bigint> {
  const living = await db.maybeOne<{ id: bigint; publicId: string; email: string }>(
    sql`select id, public_id as "publicId", email from member where staff_role = ${role}::text and email like 'fuzz.%' and suspended_at is null limit 1`,
  )
  if (living !== undefined) {
    known.put('/admin/staff', living.publicId)
    return living.id
  }
  const email = `fuzz.${role}.${++made}@x.test`
  known.put('email', email)
  const { id } = await db.one<{ id: bigint }>(sql`insert into member (name, email, role, staff_role, password_hash, email_verified_at)
        values ('Meera Nair', ${email}::text, 'admin', ${role}::text, ${passwordHash}::text, roz_now()) returning id`)
  return id
}

async function openSession(db: Db, memberId: bigint, kind: 'member' | 'admin', steppedUpAgo = '0 s'): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await db.query(sql`
    insert into session (token_hash, member_id, kind, expires_at, stepped_up_at)
    values (${createHash('sha256').update(token).digest()}::bytea, ${memberId}::bigint, ${kind}::text, roz_now() + interval '1 day',
            case when ${kind}::text = 'admin' then roz_now() - ${steppedUpAgo}::interval end)`)
  return token
}
