/** Papers: a member's financial year on one page, and the tax withheld from rewards. */
import { financialYears } from '@roz/core/financial-year.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Db, sql } from '../../db/sql.ts'
import type { Handlers } from '../../http/route.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { readOwnTax, taxHandlers } from './tax.ts'
import { readYear } from './year.ts'

export function createPapers({ db, secrets }: { readonly db: Db; readonly secrets: Secrets }) {
  const handlers: Handlers<'memberYear' | 'setPan' | 'taxWithheld' | 'taxWithheldCsv' | 'setCertificate'> = {
    ...taxHandlers({ db, secrets }),
    memberYear: async ({ session: { memberId }, params, language }) => {
      const { since, today } = await db.one<{ since: IstDay; today: IstDay }>(
        sql`select ist_day(created_at)::text as since, ist_day(roz_now())::text as today from member where id = ${memberId}::bigint`,
      )
      const years = financialYears(since, today)
      const year = years.find(({ name }) => name === params.year)
      if (year === undefined) return { ok: false, code: 'not_found' }
      const tax = await readOwnTax(db, memberId)
      return { ok: true, value: { ...(await readYear(db, { memberId, language }, year)), years: years.map(({ name }) => name), tax } }
    },
  }
  return { handlers, exports: { tax: (memberId: bigint) => readOwnTax(db, memberId) } }
}
