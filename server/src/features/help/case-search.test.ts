/** The search of requests for help: first in the list's order, then by the index of pieces. */
import { expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { useHelpWorld } from '../../testing/help-world.ts'

const world = useHelpWorld()

const list = async (query: string) => (await world.calls.ask(`GET /admin/help-cases${query}`, { as: world.staff.auditor })).body

test('the search finds common and rare words, with a filter and page by page, behind hundreds of more urgent requests', async () => {
  const add = (rows: number, number: string, district: string, urgency: string, stage = 'new') =>
    world.db.query(sql`
      insert into help_case (number, kind, for_whom, district, state, language, urgency, stage, reason, asked_at)
      select ${number}::text || lpad(n::text, 3, '0'), 'food', 'self', ${district}::text, 'MH', 'en', ${urgency}::text, ${stage}::text,
        case when ${stage}::text = 'refused' then 'no_money' end, roz_now() - interval '1 year' + n * interval '1 minute' from generate_series(1, ${rows}::int) n`)
  await add(320, 'QA', 'Nashik', 'today')
  await add(3, 'QB', 'Nandurbar Nashik', 'can_wait')
  await add(2, 'QC', 'Nandurbar', 'can_wait', 'refused')
  const numbers = async (query: string): Promise<string[]> => (await list(query)).cases.map(({ number }: { number: string }) => number)
  const pages = async (query: string): Promise<string[]> => {
    const { cases, nextCursor } = await list(query)
    const rest = nextCursor === null ? [] : await pages(`${query.replace(/&cursor=.*/, '')}&cursor=${nextCursor}`)
    return [...cases.map(({ number }: { number: string }) => number), ...rest]
  }
  // A page of the first 300 is full.
  expect(await numbers('?q=NASHIK&limit=2')).toEqual(['QA001', 'QA002'])
  // Behind them the index finds the others.
  expect(await numbers('?q=nandurbar')).toEqual(['QB001', 'QC001', 'QB002', 'QC002', 'QB003'])
  expect(await numbers('?q=nandurbar&status=open')).toEqual(['QB001', 'QB002', 'QB003'])
  expect(await numbers('?q=nandurbar&status=refused&state=MH')).toEqual(['QC001', 'QC002'])
  expect(await numbers('?q=nandurbar&state=KL')).toEqual([])
  const all = await pages('?q=nashik&limit=100')
  expect([all.length, new Set(all).size, all.slice(-4)]).toEqual([323, 323, ['QA320', 'QB001', 'QB002', 'QB003']])
  // All pieces are in the words, but not side by side.
  expect(await numbers('?q=nashiknandurbar')).toEqual([])
})
