/** Pictures of shared links: their subjects, cost and cache time, and that every word stays on the sheet. */
import { cpSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Story } from '@roz/contract/impact.ts'
import type { PublicPages, ShareCard, ShareSubject } from '@roz/contract/public-pages.ts'
import Fastify, { type FastifyInstance } from 'fastify'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { registerFaults } from '../../http/faults.ts'
import { drawCard, PICTURE } from './card-picture.ts'
import { TEST_MODES } from '../../testing/modes.ts'
import { createSharePictures } from './share-pictures.ts'

const STORY = '0192f1c0-1c2d-7000-8000-00000000000a'
const ART = '<svg viewBox="0 0 10 10"><circle cx="5" cy="5" r="4" fill="#1d7a4d"/></svg>'
const CARD: ShareCard = { brand: 'Roz', tagline: 'One rupee a day', when: '', title: 'Terms', lead: 'Plain words.', figures: [], art: ART }

/** Cards as the web build makes them, with an editor's title that a test may change. */
const world = { title: 'Books', looks: 0, isPublic: true }
const pages = {
  addresses: { home: '/', terms: '/terms-condition' },
  card: (subject: ShareSubject, language: string) => ({
    ...CARD,
    tagline: language,
    title:
      subject.kind === 'page'
        ? subject.page
        : subject.kind === 'story'
          ? subject.story.title
          : String(subject.kind === 'day' ? subject.day : subject.days),
  }),
} as Partial<PublicPages> as PublicPages

type Site = { readonly app: FastifyInstance; readonly folder: string; readonly pictures: ReturnType<typeof createSharePictures> }

function site(folder = mkdtempSync(path.join(os.tmpdir(), 'roz-pictures-'))): Site {
  const app = Fastify()
  registerFaults(app)
  const pictures = createSharePictures({
    pages,
    site: { brandName: 'Roz', modes: TEST_MODES },
    folder,
    waitingMax: 2,
    subjects: {
      day: async (day) => {
        world.looks += 1
        return day.startsWith('2026-11') ? { kind: 'day', day, entries: 3, intake: 3, need: 1.8 } : undefined
      },
      story: async (id) => (id === STORY && world.isPublic ? { kind: 'story', story: { id, title: world.title } as Story } : undefined),
      publicStories: async (ids) => new Set(ids.filter((id) => id === STORY && world.isPublic)),
    },
  })
  pictures.register(app)
  return { app, folder, pictures }
}

test('two machines that share the folder draw the same picture at once, and both answer it', async () => {
  const one = site()
  const other = site(one.folder)
  const address = one.pictures.pathOf({ kind: 'day', day: '2026-11-19', entries: 3, intake: 3, need: 1.8 }, 'en')
  const answers = await Promise.all([one.app.inject(address), other.app.inject(address)])
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200])
  expect(readdirSync(one.folder)).toEqual([path.basename(address)])
})

test('a picture is a PNG of 1200×630 cached for ever, drawn once for many requests, and reused by the next process', async () => {
  const { app, folder, pictures } = site()
  const address = pictures.pathOf({ kind: 'day', day: '2026-11-20', entries: 3, intake: 3, need: 1.8 }, 'en')
  const answers = await Promise.all(Array.from({ length: 12 }, () => app.inject(address)))
  for (const { statusCode, headers } of answers)
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'image/png',
      'public, max-age=31536000, immutable',
    ])
  const bytes = answers[0]?.rawPayload ?? Buffer.alloc(0)
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', ...PICTURE })
  expect(readdirSync(folder)).toEqual([path.basename(address)])
  const next = await site(folder).app.inject(address)
  expect(next.rawPayload.equals(bytes)).toBe(true)
})

test('an address without a hash or with an old one redirects to the present picture, and old pictures are deleted', async () => {
  const { app, folder, pictures } = site()
  const subject = (): ShareSubject => ({ kind: 'story', story: { id: STORY, title: world.title } as Story })
  const before = pictures.pathOf(subject(), 'hi')
  const { statusCode: found, headers: kept } = await app.inject(before)
  // A story can be taken back, and no cache may show its words for longer than its page does.
  expect([found, kept['cache-control']]).toEqual([200, 'public, no-cache'])
  const known = await app.inject({ url: before, headers: { 'if-none-match': String(kept.etag) } })
  expect([known.statusCode, known.body]).toEqual([304, ''])
  world.title = 'Books and pens'
  const now = pictures.pathOf(subject(), 'hi')
  expect(now).not.toBe(before)
  for (const url of [`/share/${STORY}-hi.png`, before]) {
    const { statusCode, headers } = await app.inject(url)
    expect([statusCode, headers.location]).toEqual([302, now])
  }
  expect((await app.inject(now)).statusCode).toBe(200)
  expect(readdirSync(folder)).toEqual([path.basename(now)])
})

test('the pictures of a story that was taken back are deleted, also by the next start after a crash', async () => {
  const { app, folder, pictures } = site()
  const day = pictures.pathOf({ kind: 'day', day: '2026-11-19', entries: 3, intake: 3, need: 1.8 }, 'en')
  const story = pictures.pathOf({ kind: 'story', story: { id: STORY, title: world.title } as Story }, 'en')
  for (const url of [day, story]) await app.inject(url)
  const unfinished = `${path.basename(story)}.${STORY}`
  writeFileSync(path.join(folder, unfinished), 'half a picture')
  await pictures.forgetTakenBack()
  expect(readdirSync(folder)).toHaveLength(3)
  world.isPublic = false
  try {
    expect((await app.inject(story)).statusCode).toBe(404)
    const crashed = mkdtempSync(path.join(os.tmpdir(), 'roz-pictures-'))
    cpSync(folder, crashed, { recursive: true })
    await pictures.forgetTakenBack()
    await site(crashed).app.ready()
    for (const place of [folder, crashed]) expect(readdirSync(place)).toEqual([path.basename(day)])
  } finally {
    world.isPublic = true
  }
})

test('made-up days, stories, pages and languages answer 404, and nothing is drawn or kept', async () => {
  const { app, folder } = site()
  const days = Array.from({ length: 40 }, (_, index) => `1${String(index).padStart(3, '0')}-01-01-en.png`)
  const others = ['notFound-en', 'toString-en', 'home-fr', 'home', '2026-02-30-en', `${STORY.replace('a', 'b')}-en`, '..%2fsecret-key-en']
  for (const name of [...days, ...others.map((other) => `${other}.png`), 'home-en', `home-en.${'0'.repeat(20)}`]) {
    const { statusCode, headers } = await app.inject(`/share/${name}`)
    expect([name, statusCode, headers['cache-control']]).toEqual([name, 404, 'no-store'])
  }
  expect(readdirSync(folder)).toEqual([])
})

test('requests for more new pictures than may wait answer 503, and succeed later', async () => {
  const { app, pictures } = site()
  const addresses = Array.from({ length: 5 }, (_, index) =>
    pictures.pathOf({ kind: 'day', day: `2026-11-${String(index + 1).padStart(2, '0')}`, entries: 3, intake: 3, need: 1.8 }, 'en'),
  )
  const codes = (await Promise.all(addresses.map((url) => app.inject(url)))).map(({ statusCode }) => statusCode)
  expect(new Set(codes)).toEqual(new Set([200, 503]))
  for (const url of addresses.filter((_, index) => codes[index] === 503)) expect((await app.inject(url)).statusCode).toBe(200)
})

/** How many pixels in the band that must stay free are darker than paper. */
async function inkRightOf(bytes: Buffer, left: number): Promise<number> {
  const region = { left, top: 130, width: 1200 - left, height: 500 }
  const { data, info } = await sharp(bytes).extract(region).removeAlpha().greyscale().raw().toBuffer({ resolveWithObject: true })
  return data.filter((value) => value < 120).length / info.channels
}

test.each([
  ['a title of one very long word', { title: 'W'.repeat(200) }],
  ['a title of many words', { title: 'शिक्षा और क्षेत्र के श्रमिक '.repeat(20) }],
  ['characters special to XML or without a glyph', { title: '<b> & "x" \u0000\u0007 \ud800 ]]>', brand: '</text><script>' }],
  ['a very long lead', { title: 'Terms', lead: 'one two three '.repeat(60) }],
  [
    'the largest figures',
    { title: 'The round of 20 Nov 2026', when: 'x', figures: Array(3).fill({ label: 'Members', value: '₹99,99,99,999.99' }) },
  ],
])('the words stay on the sheet, left of the drawing, and the file is small: %s', async (_, words) => {
  const bytes = await drawCard({ ...CARD, art: '<svg viewBox="0 0 1 1"/>', ...words })
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', ...PICTURE })
  expect(bytes.length).toBeLessThan(100_000)
  expect(await inkRightOf(bytes, 800)).toBe(0)
})

test('Devanagari is shaped: a conjunct is narrower than its letters side by side, and none is an empty box', async () => {
  const inkOf = async (title: string): Promise<number> => {
    const { data } = await sharp(await drawCard({ ...CARD, title, lead: '', art: '<svg viewBox="0 0 1 1"/>' }))
      .extract({ left: 120, top: 130, width: 680, height: 480 })
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const columns = new Set<number>()
    data.forEach((value, index) => {
      if (value < 120) columns.add(index % 680)
    })
    return columns.size
  }
  const [joined, apart] = [await inkOf('क्ष'), await inkOf('क्\u200cष')]
  expect(joined).toBeGreaterThan(20)
  expect(joined).toBeLessThan(apart)
})

test('a milestone has a picture without a look-up; a number that is none has no picture', async () => {
  const { app, pictures } = site()
  const looks = world.looks
  const address = pictures.pathOf({ kind: 'milestone', days: 100 }, 'hi')
  expect((await app.inject('/share/days-100-hi.png')).headers.location).toBe(address)
  const answer = await app.inject(address)
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'image/png'])
  expect((await app.inject('/share/days-99-hi.png')).statusCode).toBe(404)
  expect(world.looks).toBe(looks)
})
