/** Fixture: all features where money is added by bank transfers, with finance and a bank whose statement the test writes. */
import { randomUUID } from 'node:crypto'
import { decimalText, paise } from '@roz/core/money.ts'
import { noMandates } from '../../../../adapters/mandates/none.ts'
import { bankTransferGateway } from '../../../../adapters/payments/bank-transfer.ts'
import { sql } from '../../../../db/sql.ts'
import { DAY } from '../../../../ledger/testing/fixtures.ts'
import { makeMember, makeStaff } from '../../../../testing/calls.ts'
import { openServicesWorld } from '../../../../testing/services-world.ts'
import { TRANSFER_ACCOUNT } from '../../../../testing/wallet-world.ts'
import { HDFC } from './samples.ts'
import { type Line, statementText } from '../../../../testing/statement.ts'

type Order = { readonly member: bigint; readonly orderId: string; readonly reference: string }

/** One person of finance confirms up to ₹500 a day alone. */
export async function openTransferWorld() {
  const world = await openServicesWorld({
    gateway: (db) => bankTransferGateway({ db }),
    mandates: noMandates,
    payouts: undefined,
    settings: { PAYMENTS: 'bank-transfer', ...TRANSFER_ACCOUNT, TOPUP_MAX: '2000', APPROVAL_ABOVE: '500' },
  })
  const { db } = world.database
  const owner = await makeStaff(db, 'owner')
  const account = randomUUID()
  const ask = (call: string, as: bigint, body?: object) => world.calls.ask(call, { as, ...(body === undefined ? {} : { body }) })
  const clerk = () => makeStaff(db, 'finance')
  const finance = await clerk()
  await ask(`PUT /admin/bank-accounts/${account}`, finance, { name: 'Current account', lastFour: '7890', mapping: HDFC })
  const stored: Line[] = []
  const upload = (where: string, lines: readonly Line[]) => {
    const form = new FormData()
    form.set('file', new Blob([statementText(lines, 0n)], { type: 'text/csv' }), 'statement.csv')
    return world.calls.ask(`POST /admin/bank-accounts/${account}/${where}`, { as: finance, form })
  }
  /** The statement of all lines until now, imported. */
  const importAll = async (): Promise<{ stored: number; known: number; matched: number }> => {
    const { body } = await upload('preview', stored)
    return (await upload(`import?seen=${body.seen}&until=${DAY}`, stored)).body
  }
  const list = async (query: string) => (await ask(`GET /admin/transfers/lines${query}`, finance)).body.lines as ShownLine[]
  const lines = () => list('')
  return {
    ...world,
    db,
    ask,
    clerk,
    owner,
    finance,
    importAll,
    lines,
    closedLines: () => list('?status=closed'),
    /** A member asks to add money. */
    order: async (rupees: number, member?: bigint): Promise<Order> => {
      const as = member ?? (await makeMember(db))
      const { status, body, text } = await ask('POST /wallet/transfers', as, { amount: rupees })
      if (status !== 200) throw new Error(text)
      return { member: as, orderId: body.order_id, reference: body.reference }
    },
    /** The bank has a line, and its statement is imported. */
    arrives: async (rupees: number, words: string): Promise<ShownLine> => {
      const before = new Set((await lines()).map(({ id }) => id))
      stored.push({ day: DAY, amount: BigInt(rupees) * 100n, words })
      await importAll()
      const found = (await lines()).find(({ id }) => !before.has(id))
      if (found === undefined) throw new Error('the line is not listed')
      return found
    },
    /** As `arrives`, where the line must not be listed. */
    arrivesKnown: async (rupees: number, words: string) => {
      stored.push({ day: DAY, amount: BigInt(rupees) * 100n, words })
      return importAll()
    },
    confirmLine: async (line: ShownLine, as?: bigint) =>
      ask(`POST /admin/transfers/lines/${line.id}/confirm`, as ?? (await clerk()), {
        reference: line.order?.reference ?? null,
        seen: line.seen,
      }),
    typed: async (order: Pick<Order, 'reference'>, rupees: number, bankReference: string, as?: bigint) =>
      ask('POST /admin/transfers', as ?? (await clerk()), { reference: order.reference, amount: rupees, bankReference, day: DAY }),
    balance: async (member: bigint): Promise<string> => {
      const { balance } = await db.one<{ balance: bigint }>(sql`select balance from wallet where member_id = ${member}::bigint`)
      return decimalText(paise(balance))
    },
    suspended: (orderId: string) =>
      db.query<{ reason: string; amount: bigint; status: string }>(
        sql`select reason, amount, status from suspense_item where order_id = ${orderId}::text order by id`,
      ),
    booked: async (): Promise<{ gateway: bigint; bank: bigint }> =>
      db.one(sql`
        select (select coalesce(sum(case when debit = 1 then amount when credit = 1 then -amount end), 0)::bigint from transfer) as gateway,
                   (select coalesce(sum(case when debit = 2 then amount when credit = 2 then -amount end), 0)::bigint from transfer) as bank`),
    /** Everything that is due now, and every order asked about. */
    sweep: async (): Promise<void> => {
      await db.query(sql`update order_check set ask_at = roz_now(), asked_at = null where ask_at is not null or final_at is not null`)
      await world.services.worker.runDue()
    },
  }
}
export type ShownLine = {
  readonly id: string
  readonly amount: number
  readonly isClosed: boolean
  readonly seen: string
  readonly order: { readonly reference: string; readonly amount: number; readonly member: { readonly name: string } } | null
}
