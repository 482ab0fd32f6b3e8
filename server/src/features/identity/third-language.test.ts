/** An invented language passes through the server, although the database was made without it. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

// The list is extended before any text and any call is made of it. Its words are the Hindi ones.
const INVENTED = 'xx'
vi.resetModules()
const { LANGUAGES, SPEECH } = await import('@roz/core/language.ts')
;(LANGUAGES as string[]).push(INVENTED)
;(SPEECH as Record<string, unknown>)[INVENTED] = { ...SPEECH.hi, name: 'Invented' }
const { READ, catalogueOf } = await import('@roz/core/catalogues.ts')
;(READ as Map<string, ReadonlyMap<string, string>>).set(INVENTED, catalogueOf('hi'))
const { sql } = await import('../../db/sql.ts')
const { PASSWORD, startPeople } = await import('../../testing/people.ts')

let roz: Awaited<ReturnType<typeof startPeople>>
beforeAll(async () => {
  roz = await startPeople()
})
afterAll(async () => {
  await roz.close()
  // The next file of this process gets the languages that there are.
  vi.resetModules()
})
const headers = { 'accept-language': INVENTED }

test('sign-up, login, the own account, the contact form and an older announcement work in it', async () => {
  await roz.db.query(sql`
    insert into announcement (texts, starts_at, ends_at)
    values ('{"en": "News", "hi": "समाचार"}', roz_now() - interval '1 hour', roz_now() + interval '1 hour')`)
  const person = await roz.register('asha@x.test', { headers })
  const signedIn = await roz.ask('POST /auth/login', { headers, body: { email: person.email, password: PASSWORD } })
  const me = await roz.ask('GET /auth/me', { headers, token: person.token })
  for (const { status, body } of [signedIn, me])
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        user: expect.objectContaining({ language: INVENTED }),
        announcements: [expect.objectContaining({ text: { en: 'News', hi: 'समाचार', [INVENTED]: 'News' } })],
      }),
    ])
  const sent = await roz.ask('POST /contact', { headers, body: { name: 'Asha Verma', email: 'asha@x.test', message: 'Where is it?' } })
  expect(sent.status).toBe(201)
  // Two mails run in any order: which of them is the newer one is chance.
  const subjects = (await roz.mailsTo('asha@x.test')).map(({ subject }) => subject)
  expect(subjects).toContainEqual(expect.stringContaining('आपका संदेश मिल गया'))
})

test('no check of the database names a language', async () => {
  const named = await roz.db.query(sql`
    select conrelid::regclass::text as table, pg_get_constraintdef(oid) as check from pg_constraint
     where contype = 'c' and pg_get_constraintdef(oid) ~ '''(en|hi)'''`)
  expect(named).toEqual([])
})
