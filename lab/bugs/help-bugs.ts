/** Bugs in outlays: disbursements of the help fund, their corrections, platform entries, settlements of the gateway, and their audit. */
import { type Bug, DISBURSEMENTS, LEDGER } from './bug.ts'

const FILE = `${LEDGER}/disbursements.ts`
const HOUSE = `${LEDGER}/house-entries.ts`
const SCHEMA = 'server/migrations/0049_help_allotments.sql'
const SETTLEMENT = `${LEDGER}/gateway-settlements.ts`
const SETTLEMENT_TEST = `${LEDGER}/gateway-settlements.test.ts`
const SETTLEMENT_SCHEMA = 'server/migrations/0111_gateway_settlements.sql'

export const HELP_BUGS: readonly Bug[] = [
  {
    name: 'A disbursement exceeds the help fund',
    file: FILE,
    find: '  return due === 0n ? taken : undefined\n',
    replace: '  return taken\n',
  },
  {
    name: 'A disbursement takes the newest days first',
    file: FILE,
    find: 'where open > 0 order by day`)',
    replace: 'where open > 0 order by day desc`)',
  },
  {
    name: 'A disbursement takes help that came in on a later day',
    file: FILE,
    find: 'from help_days(${until}::date) where',
    replace: 'from help_day where ${until}::date is not null and',
  },
  {
    name: 'A disbursement is dated before its predecessor',
    file: SCHEMA,
    find: "  if last > ist_day(roz_now()) then perform set_config('roz.posting_day', last::text, true); end if;\n",
    test: DISBURSEMENTS,
  },
  {
    name: 'A disbursement comes back twice',
    file: FILE,
    find: 'from help_allotment where disbursement_id = ${id}::text group by day',
    replace: 'from help_allotment where entry_id = ${id}::text group by day',
  },
  {
    name: 'A correction opens the oldest days first',
    file: FILE,
    find: 'having sum(paise) > 0 order by day desc`',
    replace: 'having sum(paise) > 0 order by day`',
  },
  {
    name: 'A repeated disbursement may name other bills',
    file: FILE,
    find: 'if (!known.same || !(await hasBills(tx, kind, { id, evidence }))) return',
    replace: 'if (!known.same || hasBills.length === evidence.length + kind.length) return',
  },
  {
    name: 'One receipt proves two entries',
    file: `${LEDGER}/evidence.ts`,
    find: 'any(${evidence}::bytea[]) limit 1`)) !== undefined',
    replace: 'any(${evidence}::bytea[]) limit 1`)) === null',
    test: DISBURSEMENTS,
  },
  {
    name: 'The schema gives a day more than its share',
    file: SCHEMA,
    find: 'coalesce((select sum(paise) from help_allotment a where a.day = new.day), 0)\n',
    replace: '0\n',
    test: DISBURSEMENTS,
  },
  {
    name: 'The schema accepts a bill for an entry of long ago',
    file: SETTLEMENT_SCHEMA,
    find: ' and t.xmin = pg_current_xact_id()::xid',
    test: DISBURSEMENTS,
  },
  {
    name: 'The platform’s share leaves before it has paid what was lost',
    file: HOUSE,
    find: 'platform_out: has.losses < 0n ? afterFees + has.losses : afterFees',
    replace: 'platform_out: afterFees',
  },
  {
    name: 'The platform’s share leaves before it has paid the gateway’s fees',
    file: HOUSE,
    find: 'const afterFees = has.platform + has.fees\n',
    replace: 'const afterFees = has.platform\n',
  },
  {
    name: 'More is covered by the platform’s share than was lost',
    file: HOUSE,
    find: 'losses_covered: afterFees < -has.losses ? afterFees : -has.losses',
    replace: 'losses_covered: afterFees',
  },
  {
    name: 'A settlement takes more than the gateway owes, by its fee',
    file: SETTLEMENT,
    find: 'if (amount + fee <= -(',
    replace: 'if (amount <= -(',
  },
  {
    name: 'A settlement is booked a second time under another id',
    file: SETTLEMENT,
    find: "if (booked !== undefined) return 'settlement_known'",
    replace: "if (booked === null) return 'settlement_known'",
  },
  {
    name: 'The schema accepts a settlement without its report',
    file: SETTLEMENT_SCHEMA,
    find: "     or not exists (select from evidence e where e.kind = 'gateway_settled' and e.ref = entry)\n",
    test: SETTLEMENT_TEST,
  },
  {
    name: 'The books leave out the days that gave to a disbursement',
    file: `${LEDGER}/day-books.ts`,
    find: "coalesce(a.days, '{}') as days",
    replace: "'{}'::date[] as days",
    test: 'server/src/features/books/help-books.all.test.ts',
  },
  {
    name: 'A request that one person checked is paid above the limit that needs two',
    file: 'server/src/features/help/case-payment.ts',
    find: "(await isCheckedFor(tx, found.number, limits)) ? accepted(found) : refused('case_checks')",
    replace: 'accepted(found)',
    test: 'server/src/features/help/cases.test.ts',
    only: 'one check serve',
  },
]
