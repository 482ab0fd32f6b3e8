/**
 * Bugs that a change could introduce into money, its locks and its schema. Each is a small change of one file, with the test that must fail for it.
 * - A bug whose source text is not found, or that no test catches, fails the run.
 */
import { type Bug, INTERLEAVINGS, JOINS, LEDGER, ROUNDS, SCHEMA } from './bug.ts'
import { AUTOPAY_BUGS } from './autopay-bugs.ts'
import { DECISIONS } from './decision-bugs.ts'
import { DEBT_RULES } from './debt-bugs.ts'
import { GATEWAY_WORDS } from './gateway-bugs.ts'
import { HELP_BUGS } from './help-bugs.ts'
import { OUTLAY_BUGS } from './outlay-bugs.ts'
import { RETURNED_ROUND_RULES } from './returned-round-bugs.ts'
import { CLOSED_RULES, ROUND_RULES, RULES } from './rule-bugs.ts'
import { SCHEMA_BUGS } from './schema-bugs.ts'

const LOCKS: readonly Bug[] = [
  {
    name: 'A wallet is locked before the suspense item that pays into it, against the lock order',
    file: `${LEDGER}/topups.ts`,
    find: '  await tx.query(sql`select from suspense_item where payment_id = ${paymentId}::text for update`)\n',
    test: INTERLEAVINGS,
    only: 'capture a payment in suspense',
  },
  {
    name: 'A balance is checked without the lock on its wallet',
    file: `${LEDGER}/transfer.ts`,
    find: 'where member_id = ${memberId}::bigint for no key update`',
    replace: 'where member_id = ${memberId}::bigint`',
    test: INTERLEAVINGS,
    only: 'hold money',
  },
  {
    name: 'A join computes the new balance from an unlocked row',
    file: `${LEDGER}/join-statement.ts`,
    find: 'set balance = w.balance - entry_fee(), seq = w.seq + 1',
    replace: 'set balance = (select s.balance from wallet s where s.member_id = w.member_id) - entry_fee(), seq = w.seq + 1',
    test: JOINS,
  },
  {
    name: 'A member of a batch gets the outcome of another member: outcomes are not in the order of the requests',
    file: `${LEDGER}/join-statement.ts`,
    find: "array_agg(balance order by place) as balances, string_agg(verdict, ',' order by place) as verdicts",
    replace: "array_agg(balance) as balances, string_agg(verdict, ',') as verdicts",
    test: JOINS,
  },
  {
    name: 'A close counts its entries without the lock on its round, and misses a join in progress',
    file: `${LEDGER}/rounds.ts`,
    find: "  const round = await lockRound(tx, day)\n  if (round === undefined) return refused('round_not_found')\n  if (round.entries",
    replace: "  const round = await findRound(tx, day)\n  if (round === undefined) return refused('round_not_found')\n  if (round.entries",
    test: JOINS,
  },
  {
    name: 'A join takes no shared lock on its round: one that meets a close fails, and is not refused',
    file: `${LEDGER}/join-statement.ts`,
    find: '     for share`',
    replace: '     `',
    test: JOINS,
  },
  {
    name: 'The schema lets a top-up raise the amount that a wallet holds',
    file: 'server/migrations/0101_held_by_movement.sql',
    find: "               and new.held = old.held - case when t.kind in ('wd_back', 'refund_failed') then t.amount else 0 end\n",
    test: `${LEDGER}/schema-guards.test.ts`,
  },
  {
    name: 'The schema lets a hold end without its payment',
    file: 'server/migrations/0101_held_by_movement.sql',
    find: 'when (new.held < old.held and new.seq = old.seq)',
    replace: 'when (new.held < old.held and new.seq <> old.seq)',
    test: `${LEDGER}/schema-guards.test.ts`,
  },
  {
    name: 'Books that cannot be made raise no alarm, and are held by nobody',
    file: 'server/src/features/books/books.ts',
    find: 'if (error instanceof DatabaseUnavailableError && !isTooLong) throw error',
    replace: 'if (!(error instanceof BooksHeldError)) throw error',
    test: 'server/src/features/books/unreadable-key.all.test.ts',
  },
  {
    name: 'A lost ticket key is replaced for a day that the member entered: the receipt names a ticket of no list',
    file: 'server/src/tickets/lost-keys.ts',
    find: "  if (entered.length > 0 && !despiteReceipts) return no('joined')\n",
    test: 'server/src/commands/ticket-key.all.test.ts',
  },
  {
    name: 'A member whose ticket key cannot be read joins: the entry has no ticket, and its day is never drawn',
    file: `${LEDGER}/join-statement.ts`,
    find: ' or w.member_id = any(array(select member_id from unreadable_key))',
    test: 'server/src/commands/ticket-key.all.test.ts',
  },
  {
    name: 'A lost ticket key comes back as another key of the member: the list contradicts the receipts',
    file: 'server/src/tickets/lost-keys.ts',
    find: "  if (isOther) return no('of_other_days')\n",
    test: 'server/src/commands/ticket-key.all.test.ts',
  },
  {
    name: 'An unreadable ticket key takes the rupee of everybody in its batch without a receipt',
    file: 'server/src/transparency-log/receipts.ts',
    find: 'if (!(error instanceof UnreadableKeyError)) throw error',
    replace: 'throw error',
  },
  {
    name: 'A posting takes no shared lock on its day: the sealing does not wait for it',
    file: 'server/migrations/0120_trusted_clock.sql',
    find: 'from ledger_day where day = today for share;',
    replace: 'from ledger_day where day = today;',
    test: ROUNDS,
  },
  {
    name: 'A day is sealed without waiting for postings in progress',
    file: `${LEDGER}/seal-day.ts`,
    find: 'from ledger_day where day = ${day}::date for update`',
    replace: 'from ledger_day where day = ${day}::date`',
    test: ROUNDS,
  },
  {
    name: 'A withdrawal is decided without its lock',
    file: `${LEDGER}/withdrawals.ts`,
    find: 'from withdrawal w where id = ${id}::uuid for update`',
    replace: 'from withdrawal w where id = ${id}::uuid`',
    test: INTERLEAVINGS,
    only: 'requested withdrawal',
  },
  {
    name: 'A refund is decided without its lock',
    file: `${LEDGER}/refunds.ts`,
    find: 'from refund r where r.id = ${id}::uuid for update`',
    replace: 'from refund r where r.id = ${id}::uuid`',
    test: INTERLEAVINGS,
    only: 'requested refund',
  },
  {
    name: 'Two simultaneous disbursements from the help fund spend the same rupees',
    file: `${LEDGER}/evidence.ts`,
    find: "  await lockInTransaction(tx, 'helpFund')\n",
    replace: '  void lockInTransaction\n',
    test: INTERLEAVINGS,
    only: '^disburse',
  },
  {
    name: 'One locked wallet delays every member of its batch',
    file: `${LEDGER}/join-statement.ts`,
    find: "return send('skip')",
    replace: "return send('wait')",
    test: JOINS,
  },
  {
    name: 'A deadlock is shown to the member instead of being retried',
    file: 'server/src/db/transaction.ts',
    find: '  return state === DEADLOCK || state === SERIALIZATION\n',
    replace: '  return state === SERIALIZATION\n',
  },
]

const KEYS: readonly Bug[] = [
  {
    name: 'A credit is keyed by the event instead of the payment',
    file: 'server/src/features/wallet/settle.ts',
    find: 'orderId: order.orderId, paymentId, orderAmount',
    replace: 'orderId: order.orderId, paymentId: `${paymentId}-${Math.random()}`, orderAmount',
  },
  {
    name: 'The unique key of transfers is missing',
    file: SCHEMA,
    find: '(balance_after is null)),\n  constraint transfer_once unique (kind, ref)\n',
    replace: '(balance_after is null))\n',
    test: `${LEDGER}/audit.test.ts`,
  },
  {
    name: 'The unique key of batches is missing: a batch that is resent after a lost answer takes a second rupee or refuses the first join',
    file: SCHEMA,
    find: 'uuid       uuid not null unique,',
    replace: 'uuid       uuid not null,',
    test: `${LEDGER}/lost-answers.test.ts`,
  },
  {
    name: 'A join whose answer was lost is refused as a second join',
    file: `${LEDGER}/join-batcher.ts`,
    find: 'else if (pending.sentIn.length > 1) uncertain',
    replace: 'else if (pending.sentIn.length > 99) uncertain',
    test: `${LEDGER}/lost-answers.test.ts`,
  },
  {
    name: 'A join statement that hangs blocks all later joins',
    file: 'server/src/db/batch-scheduler.ts',
    find: 'if (running >= atOnceMax) return',
    replace: 'if (running >= 1) return',
    test: `${LEDGER}/joins.test.ts`,
  },
  {
    name: 'The id of a withdrawal is accepted with another amount',
    file: `${LEDGER}/withdrawals.ts`,
    find: 'return known.same && known.balance !== null',
    replace: 'return known.balance !== null',
  },
  {
    name: 'The key of an old join is accepted today: the member believes that they have joined',
    file: `${LEDGER}/join-statement.ts`,
    find: 'case when ${key} = w.last_key and w.last_round >= r.day - 1 then',
    replace: 'case when ${key} = w.last_key then',
    test: JOINS,
  },
  {
    name: 'An Idempotency-Key is accepted with another body',
    file: 'server/src/http/idempotency.ts',
    find: 'select route = ${route}::text and body_hmac = any (${bodyHmacs}::bytea[]) as same',
    replace: 'select route is not null or ${route}::text = any (${bodyHmacs}::text[]) as same',
    test: 'server/src/features/wallet/idempotency.test.ts',
  },
  {
    name: 'A retry mints money: a payment first reported with a smaller amount is then credited in full',
    file: `${LEDGER}/topups.ts`,
    find: 'memberId, amount: claimed.missing, from',
    replace: 'memberId, amount: order.amount, from',
  },
  {
    name: 'A transaction that fails halfway is committed',
    file: 'server/src/db/transaction.ts',
    find: "ReadOnlyError)\n      await connection.command('ROLLBACK')",
    replace: "ReadOnlyError)\n      await connection.command('COMMIT')",
  },
]

const BORDERS: readonly Bug[] = [
  {
    name: 'The owner of the tables can change transfers',
    file: SCHEMA,
    find: "select append_only('transfer');\n",
    test: `${LEDGER}/append-only.test.ts`,
  },
  {
    name: "The server's own role may change transfers",
    file: SCHEMA,
    find: "select app_may('select, insert', 'transfer');",
    replace: "select app_may('select, insert, update', 'transfer');",
    test: `${LEDGER}/append-only.test.ts`,
  },
]

const CLOCK = 'server/migrations/0120_trusted_clock.sql'
const CLOCK_TEST = 'server/src/adapters/clock.all.test.ts'
const CLOCK_RULES: readonly Bug[] = [
  {
    name: 'A day ends by a clock that jumps',
    file: CLOCK,
    find: "if at < trusted or at > trusted + interval '5 minutes' then",
    replace: 'if at < trusted then',
    test: CLOCK_TEST,
    only: 'a jump of',
  },
  {
    name: 'A clock that jumps back opens a day again that has ended',
    file: CLOCK,
    find: "if at < trusted or at > trusted + interval '5 minutes' then",
    replace: "if at > trusted + interval '5 minutes' then",
    test: CLOCK_TEST,
    only: 'a jump of',
  },
  {
    name: 'The operator confirms a clock that begins a day again',
    file: CLOCK,
    find: 'and opens_at > at + clock_offset',
    replace: "and opens_at > at + interval '400 days' + clock_offset",
    test: CLOCK_TEST,
    only: 'begin a day again',
  },
]

export const BUGS: readonly Bug[] = [
  ...LOCKS,
  ...KEYS,
  ...CLOCK_RULES,
  ...RULES,
  ...DEBT_RULES,
  ...RETURNED_ROUND_RULES,
  ...CLOSED_RULES,
  ...ROUND_RULES,
  ...DECISIONS,
  ...GATEWAY_WORDS,
  ...HELP_BUGS,
  ...OUTLAY_BUGS,
  ...SCHEMA_BUGS,
  ...AUTOPAY_BUGS,
  ...BORDERS,
]
