/** The words of a story in each language: what a reader gets, what an editor sends, what the to-do list misses. */
import { expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { useStoriesWorld } from '../../testing/stories-world.ts'

const HINDI = { title: 'जूते', description: 'नए स्कूल साल के लिए।', charityName: 'मीरा', charityDescription: 'स्कूल के जूते' }

const world = useStoriesWorld()

const readIn = async (language: string, id: string) =>
  (await world.calls.ask('GET /impact/stories?limit=100', { headers: { 'accept-language': language } })).body.stories.find(
    (story: { id: string }) => story.id === id,
  )
const lacking = async (): Promise<string[]> =>
  (await world.calls.ask('GET /impact/stories-admin?status=lacks_language', { as: world.editor })).body.stories.map(
    ({ id }: { id: string }) => id,
  )

test('each reader gets a story in their language, and a text without a translation as it was written', async () => {
  const id = await world.newDraft({ translations: { hi: HINDI } })
  expect((await world.edit(id, { isActive: true })).status).toBe(200)
  expect(await readIn('hi', id)).toMatchObject({
    title: 'जूते',
    description: 'नए स्कूल साल के लिए।',
    charity: { name: 'मीरा', description: 'स्कूल के जूते' },
    languages: { title: 'hi', description: 'hi', charityName: 'hi', charityDescription: 'hi' },
  })
  expect(await readIn('en', id)).toMatchObject({ title: 'Shoes', languages: { title: 'en' } })
  expect(await lacking()).toEqual([])

  await world.edit(id, { translations: { hi: { title: 'जूते' } } })
  expect(await readIn('hi', id)).toMatchObject({
    title: 'जूते',
    description: 'For the new school year.',
    languages: { title: 'hi', description: 'en' },
  })
  expect(await lacking()).toEqual([id])
})

test('a story that was written in Hindi alone is marked for English readers, and nobody waits for a draft’s language', async () => {
  const { title, description, charityName: name, charityDescription: about } = HINDI
  const id = await world.newDraft({ title, description, charity: { name, description: about }, language: 'hi' })
  expect(await lacking()).not.toContain(id)
  await world.edit(id, { isActive: true })
  expect(await readIn('en', id)).toMatchObject({ title, languages: { title: 'hi', description: 'hi' } })
  expect(await lacking()).toContain(id)
})

test('the portal gets the words as written, and sending the whole story back changes nothing', async () => {
  const id = await world.newDraft({ translations: { hi: HINDI } })
  const story = await world.stored(id)
  expect(story).toMatchObject({ title: 'Shoes', language: 'en', translations: { hi: HINDI } })
  const { title, description, charity, language, translations } = story
  await world.edit(id, { title, description, charity, language, translations: { hi: translations.hi } })
  expect(await world.stored(id)).toEqual(story)
})

test('the fields of the specification alone change the words and keep the translation', async () => {
  const id = await world.newDraft({ translations: { hi: HINDI } })
  await world.edit(id, { title: 'New shoes' })
  expect(await world.stored(id)).toMatchObject({ title: 'New shoes', language: 'en', translations: { hi: HINDI } })
})

test('the search finds a story by its words in any language, and only by them', async () => {
  const id = await world.newDraft({ title: 'Blankets', translations: { hi: { title: 'गर्म कंबल' } } })
  const found = async (q: string): Promise<string[]> =>
    (await world.calls.ask(`GET /impact/stories-admin?${String(new URLSearchParams({ q }))}`, { as: world.editor })).body.stories.map(
      (story: { id: string }) => story.id,
    )
  for (const q of ['BLANKETS', 'कंबल']) expect([q, await found(q)]).toEqual([q, [id]])
  for (const q of ['charityName', '"hi"', '{']) expect([q, await found(q)]).toEqual([q, []])
})

test.each([
  [{ translations: { hi: { title: '' } } }, { 'translations.hi.title': 'Title is required' }],
  [
    { translations: { hi: { charityName: 'क'.repeat(201) } } },
    { 'translations.hi.charityName': 'Charity name must be at most 200 characters' },
  ],
])('a translation has the rules of its text: %#', async (given, fields) => {
  const { status, body } = await world.create(given)
  expect([status, body.fields]).toEqual([400, fields])
})

test('an unknown language is refused', async () => {
  expect((await world.create({ language: 'xx' })).status).toBe(400)
  expect((await world.create({ translations: { xx: {} } })).status).toBe(400)
})

test('the staff log has a published story’s translation before and after an edit', async () => {
  const id = await world.newDraft()
  await world.edit(id, { isActive: true })
  await world.edit(id, { translations: { hi: HINDI } })
  expect((await world.auditOf(id)).at(-1)).toMatchObject({
    action: 'story.update',
    before: { translations: {} },
    after: { translations: { hi: HINDI }, changed: ['translations'] },
  })
})

test('a story of before the languages counts as English, and asks for nothing', async () => {
  const id = await world.newDraft()
  const [row] = await world.db.query<{ writtenIn: string; lacks: string[] }>(sql`
    insert into story (id, day, title, description, charity_name, charity_description)
        select gen_random_uuid(), day, title, description, charity_name, charity_description from story where id = ${id}::uuid
        returning written_in as "writtenIn", lacks`)
  expect(row).toEqual({ writtenIn: 'en', lacks: [] })
})
