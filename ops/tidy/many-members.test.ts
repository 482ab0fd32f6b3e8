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
  expect(statementsIn(text)).toEqual(['select $ from wallet where member_id = $::biginttrue limit 1'])
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
])('%s: %s', (statement, kind) => {
  expect(judge(statement)?.kind).toBe(kind)
})
