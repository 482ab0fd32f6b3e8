/** The help desk's calls that take an Idempotency-Key, each prepared so that it is accepted. */
import { randomBytes } from 'node:crypto'
import { wholeRupees } from '@roz/core/money.ts'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { giveRest } from '../ledger/closing.ts'
import { addMoney, newMember } from '../ledger/testing/fixtures.ts'
import { makeStaff } from './calls.ts'
import { MEERA } from './help-world.ts'
import { insertFinding, insertSeenSettlement } from './seen-settlement.ts'
import type { ServicesWorld } from './services-world.ts'

export type HelpKeyed =
  | 'askDisbursement'
  | 'approveDisbursement'
  | 'rejectDisbursement'
  | 'correctDisbursement'
  | 'translateDisbursement'
  | 'recordArrival'
  | 'askHouseEntry'
  | 'approveHouseEntry'
  | 'rejectHouseEntry'
  | 'askSettlement'
  | 'recordSettlement'
  | 'closeFinding'

type Prepared = { readonly as: bigint; readonly id?: string; readonly body: object }
type HelpWorld = { readonly world: ServicesWorld; readonly admin: bigint }

export function helpCases(helpWorld: () => HelpWorld): { readonly [N in HelpKeyed]: () => Promise<Prepared> } {
  /** A bill without its picture: these calls read none. */
  const receipt = async (): Promise<string> => {
    const { world, admin } = helpWorld()
    const hash = randomBytes(32)
    const file = `receipts/${hash.toString('hex')}`
    await world.database.db.query(sql`
      insert into receipt (hash, file, bytes, width, height, uploaded_by) values (${hash}::bytea, ${file}::text, 1, 1, 1, ${admin}::bigint)`)
    return hash.toString('hex')
  }
  const help = async (amount: number) => {
    const { world } = helpWorld()
    const { db } = world.database
    await inTransaction(db, async (tx) => {
      const memberId = await newMember(db)
      await addMoney(db, memberId, wholeRupees(amount))
      await giveRest(tx, { memberId, ref: `gift ${memberId}` })
    })
    // The record's author pays nothing to this person.
    const { body } = await world.calls.ask('POST /admin/beneficiaries', {
      as: await makeStaff(db, 'editor'),
      body: { ...MEERA, consent: { how: 'written', on: '2026-01-05' } },
    })
    return { amount, purpose: 'school shoes', beneficiaryId: body.beneficiary.id, receipts: [await receipt()] }
  }
  const asked = async (amount: number): Promise<string> => {
    const { world, admin } = helpWorld()
    return (await world.calls.ask('POST /admin/disbursements', { as: admin, body: await help(amount) })).body.disbursement.id
  }
  /** An entry as it waits for a second person: the platform's account in this test is too small for one above the limit. */
  const requestedEntry = async (): Promise<string> => {
    const { world, admin } = helpWorld()
    const [row] = await world.database.db.query<{ id: string }>(sql`
      with o as (
        insert into outlay (id, kind, amount_paise, purpose, needs_second, asked_by)
        values (gen_random_uuid(), 'platform_out', 1, 'office rent', true, ${admin}::bigint) returning id)
      insert into outlay_receipt select id, 1, ${Buffer.from(await receipt(), 'hex')}::bytea from o returning outlay_id as id`)
    return row?.id ?? ''
  }
  /** One joins and the round is drawn: the platform gets ten paise. */
  const earn = async (): Promise<void> => {
    const { world, admin } = helpWorld()
    const { db } = world.database
    const memberId = await newMember(db)
    await addMoney(db, memberId, wholeRupees(10))
    await world.calls.ask('POST /rounds/join', { as: memberId, body: {} })
    await world.calls.ask('POST /admin/trigger-draw', { as: admin, body: {} })
  }
  const other = () => makeStaff(helpWorld().world.database.db, 'finance')
  const seen = { status: 'requested' }
  const because = { ...seen, reason: 'Not readable' }

  return {
    askDisbursement: async () => ({ as: helpWorld().admin, body: await help(100) }),
    approveDisbursement: async () => ({ as: await other(), id: await asked(1500), body: seen }),
    rejectDisbursement: async () => ({ as: await other(), id: await asked(1500), body: because }),
    correctDisbursement: async () => ({
      as: await other(),
      id: await asked(100),
      body: { amount: 10, purpose: 'returned', receipts: [await receipt()] },
    }),
    translateDisbursement: async () => ({
      as: await other(),
      id: await asked(1500),
      body: { ...seen, translations: { hi: 'स्कूल के जूते' } },
    }),
    recordArrival: async () => {
      const id = await asked(100)
      const { today } = await helpWorld().world.database.db.one<{ today: string }>(sql`select ist_day(roz_now())::text as today`)
      return { as: await other(), id, body: { status: 'booked', received: true, how: 'call', on: today } }
    },
    askHouseEntry: async () => {
      await earn()
      return { as: helpWorld().admin, body: { kind: 'platform_out', amount: 0.01, purpose: 'office rent', receipts: [await receipt()] } }
    },
    approveHouseEntry: async () => ({ as: await other(), id: await requestedEntry(), body: seen }),
    rejectHouseEntry: async () => ({ as: await other(), id: await requestedEntry(), body: because }),
    recordSettlement: async () => {
      const { world, admin } = helpWorld()
      const { db } = world.database
      await addMoney(db, await newMember(db), wholeRupees(10))
      return { as: admin, id: await insertSeenSettlement(db, { amount: 9, fee: 0.2 }), body: { amount: 9, fee: 0.2 } }
    },
    closeFinding: async () => {
      const { world, admin } = helpWorld()
      return { as: admin, id: await insertFinding(world.database.db, 1), body: { status: 'open', reason: 'A fee of July' } }
    },
    askSettlement: async () => {
      const { world, admin } = helpWorld()
      const { db } = world.database
      await addMoney(db, await newMember(db), wholeRupees(10))
      const reference = `UTR${randomBytes(4).toString('hex')}`
      return { as: admin, body: { reference, day: '2026-01-05', amount: 9, fee: 0.2, receipts: [await receipt()] } }
    },
  }
}
