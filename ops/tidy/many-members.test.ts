/** Each statement that may meet rows of several members is listed in docs/many-members.txt, so that a new one is a deliberate decision. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { HEAD, judge, judged, linesOf, LIST, OWNED, statementsIn } from './many-members.ts'
import { ROOT } from './source.ts'

test('the list has every such statement of today, and no other', () => {
  const listed = readFileSync(path.join(ROOT, LIST), 'utf8').replace(HEAD, '').trimEnd().split('\n')
  const found = linesOf(judged)
  // To write a new statement down: npm run many-members, and say in the commit why it must meet several members at once.
  expect({ new: found.filter((line) => !listed.includes(line)), gone: listed.filter((line) => !found.includes(line)) }).toEqual({
    new: [],
    gone: [],
  })
  expect(found.length).toBeGreaterThan(50)
})

test('the tables of members are known', () => {
  expect([...OWNED]).toEqual(expect.arrayContaining(['wallet', 'topup', 'withdrawal', 'refund', 'notice', 'session', 'transfer', 'member']))
  expect(OWNED.has('round')).toBe(false)
})

test('a nested template is inlined, and values are marked', () => {
  const text = [
    'const a = sql`select $',
    '{x} from wallet where $',
    '{isBig ? sql`member_id = $',
    '{id}::bigint` : sql`true`} -- words\n limit 1`',
  ].join('')
  expect(statementsIn(text)).toEqual(['select $ from wallet where member_id = $::bigint true limit 1'])
})

test.each([
  ["owner.query('delete from session where member_id = $1', [id])", 'delete from session where member_id = $'],
  ['client.query<Row>(\n  `select n from VALUE group by day`)', 'select n from some_table group by day'],
  ["all(from, `with m as (select 1 from member) select 'VALUE' from m`)", "with m as (select 1 from member) select '$' from m"],
  ['to.query(copyFrom(`copy VALUE (day, VALUE) from stdin`))', 'insert into some_table select from stdin'],
])('a plain string is a statement, too: %s', (text, statement) => {
  expect(statementsIn(text.replaceAll('VALUE', ['$', '{x}'].join('')))).toEqual([statement])
})

test('a quote that closes in a comment begins no statement', () => {
  expect(statementsIn('// Runs `work` with the `url`.\nconst a = sql`select 1`')).toEqual(['select 1'])
})

test.each([
  ['select balance from wallet where member_id = $::bigint', undefined],
  ['select 1 from member m where m.id = $::bigint', undefined],
  ['insert into notice (member_id, kind) values ($, $)', undefined],
  ['select * from round where day = $::date', undefined],
  ['select * from topup where order_id = $::text', 'key'],
  ['update wallet set balance = 0 where member_id = any ($::bigint[])', 'many'],
  ['select member_id from wallet where auto_join order by member_id limit $', 'many'],
  ['insert into notice (member_id, kind) select id, $ from unnest($::bigint[]) as id', 'many'],
  ['select sum(amount) from transfer where day = $::date', 'many'],
  // settlement.ts: the account of a pool is no member's.
  [
    'select (select sum(amount) from join_batch where day = $) - (select sum(amount) from transfer where debit = $::bigint) as rest',
    'many',
  ],
  ['select amount from transfer t where t.credit > 1000 and t.credit = $::bigint and t.day > $::date', undefined],
  ['select 1 from transfer t where $::bigint > 1000 and $::bigint in (t.debit, t.credit)', undefined],
  // day-books.ts: a column that is shown, and one branch of an `or`, bind nothing.
  ['select sum(case when credit = $::bigint then amount else -amount end) from transfer t where day <= $::date', 'many'],
  ["select 1 from transfer where kind = 'need' or kind = 'refund_failed' and credit = $::bigint and credit > 1000", 'many'],
  ['select 1 from wallet where (member_id = $ and held > 0 or member_id = $ and joins = 0)', undefined],
  // impact/figures.ts: an entry of one member, on the day of a story, which is nobody's row.
  [
    'select (select joins from wallet where member_id = $), (select count(*) from story s where exists (select from round_join j where j.day = s.round_day and j.member_id = $))',
    undefined,
  ],
  // member-page.ts and account-decisions.ts: the author is another member.
  ['select n.id, a.name from member_note n join member a on a.id = n.author_id where n.member_id = $ limit $', 'many'],
  ['insert into member_note (member_id, author_id) values ($, $) returning (select name from member where id = author_id)', 'many'],
  // rounds/queries.ts: winners of each day, beside the reader's own.
  [
    'select exists (select from draw_winner d where d.day = r.day and d.member_id = $) from round r left join draw_winner w on w.day = r.day left join member m on m.id = w.member_id',
    'many',
  ],
  // Bound by a join on the number, through `with`, a subquery or `using`.
  ['select 1 from auto_skip s join wallet w using (member_id) where s.member_id = $', undefined],
  [
    'with page as materialized (select member_id from wallet where member_id = $) select 1 from page p join member m on m.id = p.member_id',
    undefined,
  ],
  [
    'with page as (select member_id from wallet where member_id > $ limit $) select 1 from page p join member m on m.id = p.member_id',
    'many',
  ],
  ['select 1 from member m where m.id in (select member_id from session where member_id = $)', undefined],
  ['insert into auto_skip (day, member_id) select $::date, w.member_id from wallet w where w.member_id = $', undefined],
  ['insert into notice (member_id, kind) select w.member_id, $ from wallet w where w.auto_join', 'many'],
  [
    'select 1 from wallet w cross join lateral (select 1 from round_join j where j.member_id = w.member_id) x where w.member_id = any ($)',
    'many',
  ],
  ['select id from topup where member_id = $ and payment_id = any ($::text[])', undefined],
  // A row by its key, and rows of that row's member.
  [
    'select 1 from withdrawal w join member m on m.id = w.member_id join bank_account b on b.id = w.bank_account_id where w.id = $::uuid',
    'key',
  ],
  ['update push_device set member_id = $ where id = $::bigint', 'key'],
  ['select 1 from round_join where batch_id = $', 'many'],
  ['select 1 from member where lower(email) = lower($::text)', 'key'],
  // archive-month.ts, copy-database.ts: a month of entries, or each table in turn.
  ['insert into archived_entry (month, member_id) select $, member_id from some_table group by member_id', 'many'],
  ['copy (select $ from some_table) to stdout', 'many'],
  ['insert into some_table select from stdin', 'many'],
  // A fragment is bound by the statement around it.
  ['coalesce((select sum(d.amount) from draw_winner d where d.member_id = m.id), 0)', undefined],
])('%s: %s', (statement, kind) => {
  expect(judge(statement)?.kind).toBe(kind)
})
