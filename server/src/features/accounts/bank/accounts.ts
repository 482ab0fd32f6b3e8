/** Our bank accounts as the portal lists and saves them. */
import type { bankCalls } from '@roz/contract/bank.ts'
import type { Output } from '@roz/contract/api.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import type { StatementMapping } from '@roz/core/statement-fields.ts'
import { type Queryable, sql } from '../../../db/sql.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { Handlers } from '../../../http/route.ts'
import { logStaff } from '../../../staff/staff-log.ts'
import type { AccountsDeps } from '../deps.ts'
import { lockBank } from './lock.ts'

type Shown = Output<(typeof bankCalls)['bankAccounts']>['accounts'][number]
type Row = {
  readonly id: string
  readonly name: string
  readonly lastFour: string
  readonly mapping: StatementMapping
  readonly lines: number
  readonly until: IstDay | null
  readonly closing: Paise | null
}

const ROWS = sql`select a.id, a.name, a.last_four as "lastFour", a.mapping, a.lines, a.complete_until as until, a.closing from statement_account a`
const viewOf = ({ closing, ...row }: Row): Shown => ({ ...row, closing: closing === null ? null : rupeesFromPaise(closing) })
const view = async (from: Queryable, id: string): Promise<Shown> => viewOf(await from.one<Row>(sql`${ROWS} where a.id = ${id}::uuid`))

export const bankAccountHandlers = ({ db }: AccountsDeps): Handlers<'bankAccounts' | 'saveBankAccount'> => ({
  bankAccounts: async () => ({
    ok: true,
    value: { accounts: (await db.query<Row>(sql`${ROWS} order by lower(a.name)`)).map(viewOf) },
  }),
  saveBankAccount: ({ session, params: { id }, body: { name, lastFour, mapping } }) =>
    inTransaction(db, async (tx) => {
      await lockBank(tx)
      const before = await tx.maybeOne<Row>(sql`${ROWS} where a.id = ${id}::uuid`)
      const saved = await tx.query(sql`
        insert into statement_account (id, name, last_four, mapping)
        select ${id}::uuid, ${name}::text, ${lastFour}::text, ${JSON.stringify(mapping)}::jsonb
         where not exists (select from statement_account o where lower(o.name) = lower(${name}::text) and o.id <> ${id}::uuid)
        on conflict (id) do update set name = excluded.name, last_four = excluded.last_four, mapping = excluded.mapping
        returning 1`)
      if (saved.length === 0) return { ok: false, code: 'bank_account_exists' }
      await logStaff(tx, {
        actorId: session.memberId,
        action: 'bank_account.save',
        subject: `bank_account:${id}`,
        ...(before === undefined ? {} : { before: { name: before.name, lastFour: before.lastFour, mapping: before.mapping } }),
        after: { name, lastFour, mapping },
      })
      return { ok: true, value: { account: await view(tx, id) } }
    }),
})
