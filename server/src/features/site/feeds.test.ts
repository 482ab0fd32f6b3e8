/** The feeds and the badge: what the public pages have, in every language, for any origin, and nothing more. */
import type { Story } from '@roz/contract/impact.ts'
import type { PageData } from '@roz/contract/public-pages.ts'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { bodyOf } from './bodies.ts'
import { keepLast, registerFeeds } from './feeds.ts'

const ID = '0192f1c0-1c2d-7000-8000-00000000000a'
const STORY = {
  id: ID,
  title: 'Rice & lentils <for> "forty"',
  description: 'It reached them before noon.',
  date: '2026-11-20',
  amount: 8412,
  sent: true,
  languages: { title: 'en' },
} as unknown as Story
const DAY = {
  day: '2026-11-20',
  status: 'settled',
  entries: 1,
  intake: 1,
  split: { need: 0.6, reward: 0.3, platform: 0.1 },
  assurance: 'sealed',
  winners: [{ name: 'Asha V.', amount: 0.3 }],
}

let data: PageData | undefined
let app: FastifyInstance | undefined
beforeEach(async () => {
  await app?.close()
  data = { round: { id: '2026-11-21' }, stories: [STORY], days: { days: [DAY] } } as unknown as PageData
  app = Fastify()
  registerFeeds(app, {
    brandName: 'Roz',
    read: async () => data,
    originOf: () => 'https://roz.example',
    addresses: { stories: '/impact-stories', days: '/verify' },
  })
})
afterAll(() => app?.close())

const get = async (url: string, headers: Record<string, string> = {}) => {
  if (app === undefined) throw new Error('no app')
  return app.inject({ url, headers })
}
const FILES = ['stories.atom', 'stories.json', 'days.atom', 'days.json', 'badge.svg'].flatMap((file) => [
  `/feeds/${file}`,
  `/hi/feeds/${file}`,
])

test('each is for any origin, without credentials, revalidated, and 304 for who has it', async () => {
  for (const file of FILES) {
    const { statusCode, headers } = await get(file, { origin: 'https://other.example' })
    expect([statusCode, headers['access-control-allow-origin'], headers['cache-control']], file).toEqual([200, '*', 'no-cache'])
    expect(headers['access-control-allow-credentials']).toBeUndefined()
    expect((await get(file, { 'if-none-match': String(headers.etag) })).statusCode, file).toBe(304)
  }
})

test('a story is an entry with escaped words, its own address, and its language where the reader has another', async () => {
  const { body, headers } = await get('/hi/feeds/stories.atom')
  expect(headers['content-type']).toBe('application/atom+xml; charset=utf-8')
  expect(body).toContain('<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="hi">')
  expect(body).toContain('<title xml:lang="en">Rice &#38; lentils &#60;for&#62; &#34;forty&#34;</title>')
  expect(body).toContain(`<id>https://roz.example/hi/impact-stories/${ID}</id>`)
  expect(body).not.toContain(STORY.description)
  const json = JSON.parse((await get('/feeds/stories.json')).body)
  expect(json).toMatchObject({
    version: 'https://jsonfeed.org/version/1.1',
    feed_url: 'https://roz.example/feeds/stories.json',
    language: 'en',
  })
  expect(json.items).toEqual([
    {
      id: `https://roz.example/impact-stories/${ID}`,
      url: `https://roz.example/impact-stories/${ID}`,
      title: STORY.title,
      content_text: 'Sent: ₹8,412.00',
      date_published: '2026-11-20T00:00:00+05:30',
      language: 'en',
    },
  ])
})

test('a body is compressed once while its text is the same', async () => {
  let made = 0
  const compressed = keepLast((text) => {
    made++
    return text === 'broken' ? Promise.reject(new Error('no memory')) : bodyOf(text, 1)
  })
  const [first, second] = await Promise.all([compressed('one'), compressed('one')])
  expect([made, first === second, String((await compressed('two')).bytes)]).toEqual([1, true, 'two'])
  for (let n = 0; n < 2; n++) await expect(compressed('broken')).rejects.toThrow('no memory')
  expect(made).toBe(4)
})

test('a story that is withheld is gone at the next request, and figures that cannot be read are not an empty feed', async () => {
  expect((await get('/feeds/stories.atom')).body).toContain(ID)
  data = { ...data, stories: [] } as PageData
  const emptied = await get('/feeds/stories.atom')
  expect(emptied.body).not.toContain(ID)
  expect(emptied.body).toContain('<updated>2026-11-21T00:00:00+05:30</updated>')
  data = undefined
  expect((await get('/feeds/stories.atom')).statusCode).toBe(503)
})

test('a day tells its rupees and help, and neither reward nor winner', async () => {
  const all = (await Promise.all(FILES.map(async (file) => (await get(file)).body))).join('\n')
  expect(all).toContain('20 November 2026: ₹0.60 set aside for people in need')
  expect(all).toContain('1 member put in ₹1.00. ₹0.60 of it is for people in need.')
  expect(all).not.toMatch(/reward|winner|Asha|0\.30|इनाम|विजेता/i)
})

test('the badge says yesterday’s help, the day’s date later, and "checked" of a sealed list alone', async () => {
  const badge = async () => (await get('/feeds/badge.svg')).body
  expect(await badge()).toContain('<title>Roz: ₹0.60 for help yesterday, checked</title>')
  data = { ...data, round: { id: '2026-11-23' }, days: { days: [{ ...DAY, assurance: 'weak' }] } } as unknown as PageData
  expect(await badge()).toContain('<title>Roz: ₹0.60 for help on 20 November 2026</title>')
  data = { ...data, days: { days: [] } } as unknown as PageData
  expect(await badge()).toContain('the first day is not over')
  expect(await badge()).not.toMatch(/<script|style=/)
})
