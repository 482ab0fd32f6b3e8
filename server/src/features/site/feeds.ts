/**
 * Feeds of stories and of days, as Atom and as JSON Feed, and the badge, each in every language, for readers and for other sites.
 * - A withheld or revoked story is gone from them at once. Aggregators keep what they read, so an entry of a story has its title, its
 *   amount and its link; the page has the words. A day names no reward.
 * - Browsers and readers revalidate (ETag). Any origin may read them, without credentials.
 */
import type { Story } from '@roz/contract/impact.ts'
import type { PageData, PublicDays } from '@roz/contract/public-pages.ts'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { addressIn, type Language, LANGUAGES } from '@roz/core/language.ts'
import { dayText } from '@roz/core/notices.ts'
import { formatCount, formatRupees } from '@roz/core/numbers.ts'
import { inPlural } from '@roz/core/plural.ts'
import { texts } from '@roz/core/texts.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendProblemAsText } from '../../http/faults.ts'
import { type Body, bodyOf, sendBody } from './bodies.ts'
import { escaped } from './escaped.ts'

type Day = PublicDays['days'][number]
type Entry = {
  readonly path: string
  readonly title: string
  readonly text: string
  /** Of title and text, where it is not the feed's. */
  readonly language: Language
  readonly day: string
}
type Feed = {
  readonly author: string
  readonly title: string
  readonly home: string
  readonly self: string
  readonly updated: string
  readonly entries: readonly Entry[]
}

type FeedsDeps = {
  readonly brandName: string
  /** The figures of the pages; undefined if they cannot be read. */
  readonly read: (language: Language, withDays: boolean) => Promise<PageData | undefined>
  readonly originOf: (request: FastifyRequest) => string
  readonly addresses: { readonly stories: string; readonly days: string }
}

const STORIES = texts('Stories of help')
const DAYS = texts('Each day’s rupees')
const DAY_TITLE = texts('{day}: {amount} set aside for people in need')
const DAY_TEXT = texts('{members, plural, one {# member} other {# members}} put in {intake}. {amount} of it is for people in need.')
const DAY_VOID = texts('{day}: the round ended without a result')
const DAY_RETURNED = texts('Nobody’s rupee was used.')
const SENT = texts('Sent: {amount}')
const SET_ASIDE = texts('Set aside: {amount}')
const YESTERDAY = texts('{amount} for help yesterday')
const OF_DAY = texts('{amount} for help on {day}')
const CHECKED = texts(', checked')
const NO_DAY = texts('the first day is not over')

export function registerFeeds(app: FastifyInstance, deps: FeedsDeps): void {
  for (const language of LANGUAGES) {
    const at = (name: string): string => addressIn(language, `/feeds/${name}`)
    const answer = (name: string, type: string, withDays: boolean, make: (data: PageData, origin: string) => string): void => {
      const compressed = keepLast((text) => bodyOf(text, 5))
      app.get(at(name), async (request, reply) => send(deps, request, reply, { language, type, withDays, make, compressed }))
    }
    for (const [name, feedOf] of [
      ['stories', ofStories],
      ['days', ofDays],
    ] as const) {
      const feed = (data: PageData, file: string): Feed => feedOf(deps, data, language, at(file))
      const withDays = name === 'days'
      answer(`${name}.atom`, 'application/atom+xml', withDays, (data, origin) => atom(feed(data, `${name}.atom`), language, origin))
      answer(`${name}.json`, 'application/feed+json', withDays, (data, origin) => jsonFeed(feed(data, `${name}.json`), language, origin))
    }
    answer('badge.svg', 'image/svg+xml', true, (data) => badge(deps.brandName, data, language))
  }
}

type Wanted = {
  readonly language: Language
  readonly type: string
  readonly withDays: boolean
  readonly make: (data: PageData, origin: string) => string
  readonly compressed: (text: string) => Promise<Body>
}

/** Makes a body again only when the text has changed. */
export function keepLast(make: (text: string) => Promise<Body>): (text: string) => Promise<Body> {
  let last: { readonly text: string; readonly body: Promise<Body> } | undefined
  return (text) => {
    if (last?.text !== text) {
      const body = make(text)
      const kept = { text, body }
      last = kept
      body.catch(() => {
        if (last === kept) last = undefined
      })
    }
    return last.body
  }
}

async function send(deps: FeedsDeps, request: FastifyRequest, reply: FastifyReply, wanted: Wanted): Promise<FastifyReply> {
  reply.header('access-control-allow-origin', '*').header('cache-control', 'no-cache')
  const data = await deps.read(wanted.language, wanted.withDays)
  if (data === undefined) return sendProblemAsText(request, reply, { code: 'overloaded' })
  const body = await wanted.compressed(wanted.make(data, deps.originOf(request)))
  return sendBody(request, reply.type(`${wanted.type}; charset=utf-8`), body)
}

/** The start of today's round where there is no entry: the answer stays the same for a day. */
const updatedOf = (data: PageData, entries: readonly Entry[]): string => entries[0]?.day ?? data.round.id

function ofStories({ brandName, addresses }: FeedsDeps, data: PageData, language: Language, self: string): Feed {
  const home = addressIn(language, addresses.stories)
  const entries = data.stories.map((story) => ({
    path: `${home}/${story.id}`,
    title: story.title,
    text: amountOf(story, language),
    language: story.languages.title ?? language,
    day: story.date,
  }))
  const title = `${brandName}: ${STORIES[language]}`
  return { author: brandName, title, home, self, updated: updatedOf(data, entries), entries }
}

const amountOf = ({ amount, sent }: Story, language: Language): string =>
  amount === 0 ? '' : (sent ? SENT : SET_ASIDE)[language].replace('{amount}', formatRupees(amount))

function ofDays({ brandName, addresses }: FeedsDeps, data: PageData, language: Language, self: string): Feed {
  const entries = (data.days?.days ?? []).map((day) => ({
    path: `${addressIn(language, addresses.days)}/${day.day}`,
    ...wordsOf(day, language),
    language,
    day: day.day,
  }))
  return {
    author: brandName,
    title: `${brandName}: ${DAYS[language]}`,
    home: addressIn(language, addresses.days),
    self,
    updated: updatedOf(data, entries),
    entries,
  }
}

function wordsOf({ day, status, entries, intake, split }: Day, language: Language): { readonly title: string; readonly text: string } {
  const values = {
    day: dayText(day as IstDay, language),
    members: formatCount(entries),
    intake: formatRupees(intake),
    amount: formatRupees(split.need),
  }
  const fill = (text: string): string =>
    inPlural(text, values, language).replace(/\{(\w+)\}/g, (mark, name: string) => values[name as keyof typeof values] ?? mark)
  const isVoid = status === 'void'
  return { title: fill((isVoid ? DAY_VOID : DAY_TITLE)[language]), text: fill((isVoid ? DAY_RETURNED : DAY_TEXT)[language]) }
}

const startOf = (day: string): string => `${day}T00:00:00+05:30`

/** RFC 4287. */
function atom({ author, title, home, self, updated, entries }: Feed, language: Language, origin: string): string {
  const tag = (name: string, value: string, attributes = ''): string => `<${name}${attributes}>${escaped(value)}</${name}>`
  const items = entries.map((entry) => {
    const spoken = entry.language === language ? '' : ` xml:lang="${entry.language}"`
    const parts = [
      tag('id', origin + entry.path),
      `<link href="${escaped(origin + entry.path)}"/>`,
      tag('title', entry.title, spoken),
      tag('updated', startOf(entry.day)),
      tag('content', entry.text, ` type="text"${spoken}`),
    ]
    return `<entry>${parts.join('')}</entry>\n`
  })
  const head = [
    tag('id', origin + self),
    tag('title', title),
    tag('updated', startOf(updated)),
    `<author>${tag('name', author)}</author>`,
    `<link rel="self" href="${escaped(origin + self)}"/>`,
    `<link href="${escaped(origin + home)}"/>`,
  ]
  return `<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">\n${head.join('\n')}\n${items.join('')}</feed>\n`
}

/** https://www.jsonfeed.org/version/1.1/ */
const jsonFeed = ({ title, home, self, entries }: Feed, language: Language, origin: string): string =>
  `${JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: origin + home,
    feed_url: origin + self,
    language,
    items: entries.map((entry) => ({
      id: origin + entry.path,
      url: origin + entry.path,
      title: entry.title,
      content_text: entry.text,
      date_published: startOf(entry.day),
      language: entry.language,
    })),
  })}\n`

const LEFT_PX = 12
const WIDTH_PX = 7.2

/** The help of the newest ended day. "Checked": its list was sealed before the random number existed. */
function badge(brandName: string, data: PageData, language: Language): string {
  const day = data.days?.days.find(({ status }) => status === 'settled')
  const words = day === undefined ? NO_DAY[language] : sentenceOf(day, data.round.id, language)
  const left = Math.ceil(brandName.length * WIDTH_PX) + 2 * LEFT_PX
  const width = left + Math.ceil(words.length * WIDTH_PX) + 2 * LEFT_PX
  const label = escaped(`${brandName}: ${words}`)
  const text = (x: number, said: string): string => `<text x="${x}" y="18" fill="#fff">${escaped(said)}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" xml:lang="${language}" width="${width}" height="28" role="img" aria-label="${label}">`,
    `<title>${label}</title><rect width="${width}" height="28" rx="4" fill="#1d7a4d"/><rect width="${left}" height="28" rx="4" fill="#8a2a13"/>`,
    `<g font-family="system-ui,sans-serif" font-size="13">${text(LEFT_PX, brandName)}${text(left + LEFT_PX, words)}</g></svg>\n`,
  ].join('')
}

function sentenceOf({ day, split, assurance }: Day, today: string | undefined, language: Language): string {
  const isYesterday = today !== undefined && addDays(today as IstDay, -1) === day
  const said = (isYesterday ? YESTERDAY : OF_DAY)[language]
    .replace('{amount}', formatRupees(split.need))
    .replace('{day}', dayText(day as IstDay, language))
  return assurance === 'sealed' ? said + CHECKED[language] : said
}
