/** The words of the site: the settings until an editor changes them; every change is in the staff log. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { makeStaff, type ServedCalls, serveCalls } from '../../testing/calls.ts'
import { useTestDatabase } from '../../testing/database.ts'
import { createSiteEdit } from './site-edit.ts'

const SETTINGS = { people: '14,000', contributors: '10,000+', howItWorksVideo: 'https://youtu.be/aqz-KE-bpKQ' } as const
const database = useTestDatabase()
let calls: ServedCalls
let siteEdit: ReturnType<typeof createSiteEdit>
let editor: bigint
beforeAll(async () => {
  siteEdit = createSiteEdit({ db: database.db, settings: SETTINGS })
  calls = await serveCalls(database.db, siteEdit.handlers)
  editor = await makeStaff(database.db, 'editor')
})
afterAll(() => calls.close())

const edit = (body: object, as = editor) => calls.ask('PUT /admin/site', { as, body: { ...SETTINGS, ...body } })

test('until an edit the settings are shown; an empty link means no video', async () => {
  expect((await calls.ask('GET /admin/site', { as: editor })).body.site).toEqual(SETTINGS)
  expect(await siteEdit.read()).toEqual(SETTINGS)
  expect((await edit({ people: ' 15,200 ', howItWorksVideo: '' })).body.site).toEqual({
    ...SETTINGS,
    people: '15,200',
    howItWorksVideo: '',
  })
  expect(await siteEdit.read()).toEqual({ ...SETTINGS, people: '15,200', howItWorksVideo: undefined })
})

test.each([
  ['people', ' ', 'Please write the figure'],
  ['contributors', 'x'.repeat(41), 'A figure must be at most 40 characters'],
  ['howItWorksVideo', 'https://example.org/video', 'Invalid YouTube URL'],
  ['howItWorksVideo', 'no link', 'Please enter a valid URL'],
])('a wrong value of %s is refused beside its field', async (field, value, words) => {
  const { status, body } = await edit({ [field]: value })
  expect([status, body.fields[field]]).toEqual([400, words])
})

test('two edits at once leave both in the staff log, each with the words that it found', async () => {
  await Promise.all([edit({ people: '1' }), edit({ people: '2' })])
  const log = await database.db.query<{ before: { people: string }; after: { people: string } }>(
    sql`select before, after from audit_log where action = 'site.edit' order by id desc limit 2`,
  )
  expect(log[0]?.before).toEqual(log[1]?.after)
  expect((await siteEdit.read()).people).toBe(log[0]?.after.people)
})
