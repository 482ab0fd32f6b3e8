/**
 * The members of the month: rows with a session each, and with data that no two of them share, so that a log that names one is found.
 * - Nobody has money yet: every rupee comes through the gateway.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type Db, sql } from '@roz/server/db/sql.ts'
import { inTransaction } from '@roz/server/db/transaction.ts'
import { openWallet } from '@roz/server/ledger/wallets.ts'
import type { Secrets } from './leaks.ts'

export type Member = {
  readonly id: string
  readonly publicId: string
  readonly token: string
  readonly phone: string
  readonly name: string
  readonly bank: {
    readonly accountHolderName: string
    readonly accountNumber: string
    readonly ifscCode: string
    readonly bankName: string
    readonly accountType: 'savings'
  }
  readonly upiId: string
}

const FIRST_NAMES = ['Asha', 'Ravi', 'Meera', 'Imran', 'Lakshmi', 'Gurpreet', 'Anjali', 'Joseph'] as const
const AT_ONCE = 200
const LETTERS = 26

/** A name of its own for each number: letters only, as names have. */
function surnameOf(n: number): string {
  let letters = ''
  for (let left = n, place = 0; place < 5; place++, left = Math.floor(left / LETTERS)) letters += String.fromCharCode(97 + (left % LETTERS))
  return `Kotha${letters}`
}

function personOf(n: number): Omit<Member, 'id' | 'publicId'> & { readonly email: string } {
  const surname = surnameOf(n)
  const name = `${FIRST_NAMES[n % FIRST_NAMES.length]} ${surname}`
  return {
    name,
    email: `${surname.toLowerCase()}.${n}@month.example`,
    phone: String(9_812_000_000 + n * 37),
    token: randomBytes(32).toString('base64url'),
    bank: {
      accountHolderName: name,
      accountNumber: String(50_100_000_000_000 + n * 7919),
      ifscCode: 'HDFC0ABC123',
      bankName: 'HDFC Bank',
      accountType: 'savings',
    },
    upiId: `${surname.toLowerCase()}.${n}@okhdfcbank`,
  }
}

export async function makeMembers(db: Db, count: number, secrets: Secrets): Promise<Member[]> {
  const people = Array.from({ length: count }, (_, n) => personOf(n))
  for (const { name, email, phone, token, bank, upiId } of people) {
    secrets.add(name.split(' ')[1] ?? '', 'the name of a member')
    secrets.add(email, 'the mail address of a member')
    secrets.add(phone, 'the phone number of a member')
    secrets.add(token, 'the session of a member')
    secrets.add(bank.accountNumber, 'the bank account of a member')
    secrets.add(upiId, 'the UPI ID of a member')
  }
  const members: Member[] = []
  for (let from = 0; from < count; from += AT_ONCE)
    await inTransaction(db, async (tx) => {
      for (const { email, ...person } of people.slice(from, from + AT_ONCE)) {
        const row = await tx.one<{ id: bigint; publicId: string }>(sql`
          insert into member (name, email, phone, email_verified_at) values (${person.name}::text, ${email}::text, ${person.phone}::text, roz_now())
              returning id, public_id as "publicId"`)
        await openWallet(tx, row.id, { mayMove: true })
        await tx.query(sql`
          insert into session (token_hash, member_id, kind, expires_at)
          values (${createHash('sha256').update(person.token).digest()}::bytea, ${row.id}::bigint, 'member', roz_now() + interval '90 days')`)
        members.push({ ...person, id: String(row.id), publicId: row.publicId })
      }
    })
  return members
}
