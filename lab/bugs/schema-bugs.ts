/** Bugs in the constraints of the schema, and in the nightly audit that checks for what the schema cannot prevent. */
import { type Bug, LEDGER, PAYOUTS } from './bug.ts'

const GUARDS = 'server/migrations/0040_ledger_guards.sql'
const GUARDS_TEST = `${LEDGER}/schema-guards.test.ts`

export const SCHEMA_BUGS: readonly Bug[] = [
  {
    name: 'The schema accepts a transfer on a sealed day',
    file: GUARDS,
    find: 'where (select sealed_at is null from ledger_day d where d.day = posted.day) is not true limit 1;',
    replace: 'where (select true from ledger_day d where d.day = posted.day) is not true limit 1;',
    test: GUARDS_TEST,
  },
  {
    name: 'The schema does not wait for the sealing of a day',
    file: GUARDS,
    find: '  perform from ledger_day where day in (select day from written) for share;\n',
    test: GUARDS_TEST,
    only: 'met the sealing',
  },
  {
    name: 'The schema accepts a join to a closed round',
    file: GUARDS,
    find: "where day = new.day and status = 'open' for share;",
    replace: 'where day = new.day for share;',
    test: GUARDS_TEST,
  },
  {
    name: 'The schema lets a balance grow without a transfer',
    file: 'server/migrations/0101_held_by_movement.sql',
    find: 'select t.amount = new.balance - old.balance and t.balance_after = new.balance\n',
    replace: 'select t.amount > 0\n',
    test: GUARDS_TEST,
  },
  {
    name: 'The gateway reports a payout as paid, and the schema refuses it because the member has the approver’s phone by then',
    file: 'server/migrations/0125_voices_that_left.sql',
    find: "case when tg_op = 'INSERT' or old.approved_by is null then new.approved_by end",
    replace: 'new.approved_by',
    test: PAYOUTS,
    only: 'refuses no final word',
  },
  {
    name: 'The schema accepts a withdrawal that was approved by its own member',
    file: 'server/migrations/0125_voices_that_left.sql',
    find: 'or is_own_money(v_last, v_owner)',
    replace: 'or is_own_money(null, v_owner)',
    test: 'server/src/features/payouts/two-persons.all.test.ts',
    only: 'as first or as second person',
  },
  {
    name: 'The audit skips the first member of a page',
    file: 'server/src/ledger/audit.ts',
    find: 'lastMember: last },',
    replace: 'lastMember: last === LAST_MEMBER ? last : last + 1n },',
    only: 'no member is left out',
  },
]
