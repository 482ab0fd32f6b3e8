/** The list of requests for help: its search, first in the list's order, then by the index of pieces; its table. */
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

test('the list is narrowed to a State, and its table has no word and no contact', async () => {
  const phone = '9800000001'
  const form = { for: 'self', kind: 'school', words: 'My daughter needs shoes.', amount: '500', district: 'Pune', name: 'Gita Rao', phone }
  const ask = async (state: string) => (await world.calls.ask('POST /ask-for-help', { body: { ...form, state } })).body
  const [here, there] = [(await ask('KL')).number, (await ask('TN')).number]
  expect((await ask('Kerala')).fields).toEqual({ state: 'Please choose the State' })
  const numbers = (await list('?state=KL')).cases.map(({ number }: { number: string }) => number)
  expect(numbers).toEqual([here])
  const { text, status } = await world.calls.ask('GET /admin/help-cases.csv?state=KL', { as: world.staff.auditor })
  expect([status, text.split('\r\n').length]).toEqual([200, 3])
  expect(text).toContain(`${here},school,self,Pune,KL,500`)
  for (const secret of [there, phone, 'Gita Rao', 'shoes']) expect(text).not.toContain(secret)
  expect((await world.calls.ask('GET /admin/help-cases.csv', { as: world.staff.volunteer })).status).toBe(403)
  expect((await world.calls.ask('GET /admin/help-cases.csv', { as: world.staff.auditor, isStale: true })).body.code).toBe(
    'step_up_required',
  )
  const log = await world.db.maybeOne(
    sql`select after from audit_log where action = 'list.export' and subject = 'help_cases' order by id desc limit 1`,
  )
  expect(log).toEqual({ after: { state: 'KL' } })
})
