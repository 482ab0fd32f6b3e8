/** Bugs in void rounds, whose rupees go back, and in the seal of their days. */
import { type Bug, LEDGER, ROUNDS } from './bug.ts'

const RETURNED = `${LEDGER}/returned-rounds.test.ts`

export const RETURNED_ROUND_RULES: readonly Bug[] = [
  {
    name: 'A round without its beacon is returned before its thirty days are over',
    file: 'server/src/features/rounds/wait.ts',
    find: 'const VOID_AFTER_MS = 30 * 86_400_000',
    replace: 'const VOID_AFTER_MS = 30 * 86_400_000 - 720_000',
    test: 'server/src/features/rounds/beacon.all.test.ts',
    only: 'thirty days',
  },
  {
    name: 'A round is returned although the relays only withhold its number',
    file: 'server/src/features/rounds/wait.ts',
    find: "const looks = word === 'missing' ?",
    replace: "const looks = word !== 'silent' ?",
    test: 'server/src/features/rounds/beacon.all.test.ts',
    only: 'withhold',
  },
  {
    name: 'Each member of a void round gets two rupees back',
    file: `${LEDGER}/settlement.ts`,
    find: 'update wallet w set balance = w.balance + entry_fee(), seq = w.seq + 1',
    replace: 'update wallet w set balance = w.balance + 2 * entry_fee(), seq = w.seq + 1',
    test: ROUNDS,
    only: 'void',
  },
  {
    name: 'The last member of each page of a void round gets nothing back',
    file: `${LEDGER}/settlement.ts`,
    find: 'j.member_id <= ${upTo}::bigint and j.member_id = w.member_id',
    replace: 'j.member_id < ${upTo}::bigint and j.member_id = w.member_id',
    test: ROUNDS,
    only: 'void',
  },
  {
    name: 'A void round ends although a rupee is still in its pool',
    file: `${LEDGER}/settlement.ts`,
    find: '  if (!(await isAllReturned(tx, day))) await expectEmptyPool(tx, day)\n',
    test: RETURNED,
  },
  {
    name: 'A day is sealed without the joins of its round',
    file: `${LEDGER}/seal-day.ts`,
    find: 'from round where day = ${day}::date and entries > 0)',
    replace: 'from round where day = ${day}::date and entries < 0)',
    test: ROUNDS,
  },
  {
    name: 'The day of the returns is sealed before the last return',
    file: `${LEDGER}/seal-day.ts`,
    find: "  if (state.returns) return refused('returns_open')\n",
    test: ROUNDS,
    only: 'void',
  },
]
