/** The public pages' render functions, called as the server calls them, with data that a real run seldom has. */
import { pathToFileURL } from 'node:url'
import path from 'node:path'
import type { Story } from '@roz/contract/impact.ts'
import type { PageData, PageRequest, PublicPages, SiteFacts } from '@roz/contract/public-pages.ts'
import { beforeAll, expect, test } from 'vitest'
import { webDir } from '../../harness/program.ts'

const SITE: SiteFacts = {
  brandName: 'Roz',
  supportEmail: 'help@roz.example',
  supportPhone: '+91 91234 56780',
  officeAddress: '4 Lake Road, Nagpur',
  people: '14,000',
  contributors: '10,000+',
  howItWorksVideo: undefined,
  legalEntity: undefined,
  grievanceOfficer: undefined,
  minAgeYears: 13,
  topupMinRupees: 10,
  topupMaxRupees: 30,
  modes: { split: { need: 60, reward: 30, platform: 10, winners: 1 }, topupsOn: true, withdrawalsOn: true, tax: null },
}
const ID = '0192f1c0-1c2d-7000-8000-00000000000a'
const STORY: Story = {
  id: ID,
  _id: ID,
  title: '<script>alert(1)</script>',
  description: '"><img src=x onerror=alert(2)>',
  date: '2026-11-20',
  amount: 1.8,
  sent: false,
  views: 2,
  isActive: true,
  videoUrl: 'https://youtu.be/aqz-KE-bpKQ',
  imageUrl: null,
  languages: {},
  followUps: [],
  charity: { name: "O'Neil <b>School</b>", description: '' },
  winnerInfo: { name: 'Asha <i>V.', amount: 0.9, totalParticipants: 3, assurance: 'weak', isDemo: false, others: 0, tax: 0 },
}
type Day = NonNullable<PageData['days']>['days'][number]
const DAY: Day = {
  day: '2026-11-20',
  status: 'settled',
  entries: 3,
  intake: 3,
  split: { need: 1.8, reward: 0.9, platform: 0.3 },
  perRupee: { need: 60, reward: 30, platform: 10 },
  assurance: 'weak',
  isDemo: false,
  winners: [{ name: 'Asha V.', amount: 0.9, tax: 0, position: 1, ticket: 'ab'.repeat(32) }],
  gifts: 0,
  disbursed: 0,
  receipts: [],
  helpOrder: null,
  books: null,
}
const DATA: PageData = {
  home: {
    stats: { totalCharity: 0, totalPeople: 3, rounds: 1, today: { pool: 0, charity: 0, giveaway: 0, platform: 0 } },
    help: { medianDays: 3, oldest: null },
    helped: { people: 4, stories: { due: 30, inTime: 28 }, payments: { count: 9, withVideo: 7 }, arrivals: { due: 8, inTime: 6 } },
    desk: { asked: 40, open: 6, refused: 9, helped: 21, medianDays: 5 },
    recentImpacts: [STORY],
  },
  round: {
    id: '2026-11-21',
    status: 'open',
    totalParticipants: 0,
    totalAmount: 0,
    endTime: '2026-11-22T00:00:00+05:30',
    split: { need: 60, reward: 30, platform: 10, winners: 1 },
    winChance: 1,
    drawAt: null,
    hasParticipated: false,
    lastImpactStory: null,
    lastWinner: { name: 'Asha V.', amount: 0.9, date: '2026-11-20', assurance: 'weak', isDemo: false, others: 0, tax: 0 },
    serverTime: '2026-11-21T12:00:00+05:30',
  },
  stories: [STORY],
  storiesNext: null,
  days: {
    totals: { days: 1, entries: 3, intake: 3, split: DAY.split, disbursed: 0, helpFund: 1.8, winners: 1, passedOn: 0 },
    otherEntries: [],
    frozen: [],
    days: [DAY],
    nextCursor: null,
  },
}

let pages: PublicPages
beforeAll(async () => {
  pages = (await import(pathToFileURL(path.join(webDir(), 'pages.mjs')).href)) as PublicPages
})

const draw = (page: string, extra: Partial<PageRequest> = {}): string =>
  pages.render({
    page,
    language: 'en',
    origin: 'https://roz.example',
    site: SITE,
    data: DATA,
    nowMs: Date.parse('2026-11-21T12:00:00+05:30'),
    ...extra,
  })
const LABELLED = ['home', 'giveawaySelection', 'dailyReports', 'impactStories']

/** The same days, each with a demo draw, or with more winners. */
const drawnWith = (extra: { readonly isDemo?: boolean; readonly others?: number; readonly tax?: number }): PageData => {
  const { round, home, days } = DATA
  const story = { ...STORY, winnerInfo: STORY.winnerInfo && { ...STORY.winnerInfo, ...extra } }
  return {
    ...DATA,
    home: { ...home, recentImpacts: [story] },
    round: { ...round, lastWinner: round.lastWinner && { ...round.lastWinner, ...extra } },
    stories: [story],
    ...(days && { days: { ...days, days: days.days.map((day) => ({ ...day, isDemo: extra.isDemo ?? false })) } }),
  }
}

test('a draw without a witness is labelled by its own day: a demo draw with our own random number, unconfirmed with a public one', () => {
  const demo = 'Demo draw — the operator could have chosen this winner'
  const unwitnessed = 'No outsider confirmed this list in time; we could have changed it.'
  for (const page of LABELLED) {
    expect(draw(page), page).toContain(unwitnessed)
    expect(draw(page), page).not.toContain(demo)
    expect(draw(page, { data: drawnWith({ isDemo: true }) }), page).toContain(demo)
    expect(draw(page, { data: drawnWith({ isDemo: true }) }), page).not.toContain(unwitnessed)
  }
})

test('a day with several winners says so beside the first', () => {
  for (const page of ['home', 'giveawaySelection', 'impactStories']) {
    expect(draw(page), page).not.toContain('more winner')
    expect(draw(page, { data: drawnWith({ others: 2 }) }), page).toContain('and 2 more winners')
    expect(draw(page, { data: drawnWith({ others: 2 }), language: 'hi' }), page).toContain('और 2 विजेता')
  }
  expect(draw('giveawaySelection', { data: drawnWith({ others: 2 }) })).toContain('The latest winners')
})

test('a reward of which tax was withheld is called after tax, and a demo draw of several winners speaks of all', () => {
  for (const page of ['home', 'giveawaySelection', 'impactStories']) {
    expect(draw(page), page).not.toContain('after tax')
    expect(draw(page, { data: drawnWith({ tax: 0.4 }) }), page).toContain('₹0.90 after tax')
    expect(draw(page, { data: drawnWith({ tax: 0.4 }), language: 'hi' }), page).toContain('टैक्स काटकर ₹0.90')
    expect(draw(page, { data: drawnWith({ isDemo: true, others: 2 }) }), page).toContain('could have chosen these winners')
  }
})

test('a story’s amount says whether it was sent or is only set aside', () => {
  const sent: Story = { ...STORY, sent: true }
  for (const page of ['home', 'impactStories']) {
    expect(draw(page), page).toContain('Set aside: ₹1.80')
    expect(draw(page, { data: { ...DATA, home: { ...DATA.home, recentImpacts: [sent] }, stories: [sent] } }), page).toContain('Sent: ₹1.80')
  }
})

test('text written by people is escaped on every page that shows it', () => {
  for (const page of [...LABELLED, 'impactVideos', 'videoDocumentation'])
    for (const language of ['en', 'hi'] as const)
      expect(draw(page, { language }), page).not.toMatch(/<script>alert|<img src=x|<b>School|<i>V\./)
  expect(draw('impactStories', { subject: { kind: 'story', story: STORY } })).not.toMatch(/<script>alert|<img src=x|<b>School/)
})

test('a charity that is not selected yet is Pending, any other is Active', () => {
  const pending: Story = { ...STORY, charity: { name: 'Pending Charity Selection', description: '' } }
  const data: PageData = { ...DATA, home: { ...DATA.home, recentImpacts: [pending] }, stories: [pending] }
  for (const page of ['home', 'impactStories']) {
    expect(draw(page, { data }), page).toMatch(/<span class="badge wait">Pending<\/span>/)
    expect(draw(page, { data }), page).not.toMatch(/<span class="badge ok">Active<\/span>/)
    expect(draw(page), page).toMatch(/<span class="badge ok">Active<\/span>/)
  }
})

test("an invalid video link is named in the video's place", () => {
  const lost: Story = { ...STORY, videoUrl: 'https://example.org/film' }
  const data: PageData = { ...DATA, home: { ...DATA.home, recentImpacts: [lost] }, stories: [lost] }
  for (const page of ['home', 'impactStories', 'impactVideos', 'videoDocumentation']) {
    expect(draw(page, { data }), page).toContain('Invalid YouTube URL')
    expect(draw(page), page).not.toContain('Invalid YouTube URL')
  }
  expect(draw('impactStories', { subject: { kind: 'story', story: lost } })).toContain('Invalid YouTube URL')
})

test('a story without a video shows its picture, and one without either leaves no empty column', () => {
  const picture = '/uploads/0123.webp'
  const [pictured, bare]: Story[] = [
    { ...STORY, videoUrl: null, imageUrl: picture },
    { ...STORY, videoUrl: null, imageUrl: null },
  ]
  for (const page of ['home', 'impactStories', 'story'] as const) {
    const drawn = (story: Story): string =>
      page === 'story'
        ? draw('impactStories', { subject: { kind: 'story', story } })
        : draw(page, { data: { ...DATA, home: { ...DATA.home, recentImpacts: [story] }, stories: [story] } })
    expect(drawn(pictured as Story), page).toContain(`<img class="story-image" src="${picture}" alt="" loading="lazy"/>`)
    expect(drawn(bare as Story), page).not.toMatch(/class="story-image"|<div class="two"><div><\/div>/)
    expect(drawn(STORY), page).not.toContain(`class="story-image"`)
  }
})

test('the language switch keeps the address of a story and of a day', () => {
  const link = (html: string): string => /<a class="bar-link" href="([^"]+)" hreflang/i.exec(html)?.[1] ?? ''
  expect(link(draw('impactStories', { subject: { kind: 'story', story: STORY } }))).toBe(`/hi/impact-stories/${ID}`)
  const subject = { kind: 'day', day: '2026-11-20', entries: 3, intake: 3, need: 1.8 } as const
  expect(link(draw('verify', { language: 'hi', subject }))).toBe('/verify/2026-11-20')
  expect(link(draw('terms'))).toBe('/hi/terms-condition')
})

test('each page has its own meta description', () => {
  for (const language of ['en', 'hi'] as const) {
    const words = Object.keys(pages.addresses).map(
      (page) => /<meta name="description" content="([^"]+)"/.exec(draw(page, { language }))?.[1],
    )
    expect(words).not.toContain(undefined)
    expect(new Set(words).size).toBe(words.length)
  }
})

test('unreadable figures are said to be missing, not shown as zero', () => {
  const home = draw('home', { data: undefined })
  expect(home.match(/The figures cannot be shown right now/g)).toHaveLength(3)
  expect(home).not.toContain('No impact story available yet')
})

test('the privacy policy names the legal entity, or says that we run it', () => {
  expect(draw('privacyPolicy')).toContain('We run Roz. This policy')
  expect(draw('privacyPolicy', { language: 'hi' })).toContain('Roz को हम चलाते हैं।')
  expect(draw('privacyPolicy', { site: { ...SITE, legalEntity: 'Asha Foundation' } })).toContain('Asha Foundation runs Roz. This policy')
})

test('a round closed early is not called open', () => {
  expect(draw('home')).toContain('Today&#x27;s round is still open.')
  const closed = draw('home', { data: { ...DATA, round: { ...DATA.round, status: 'settled' } } })
  expect(closed).not.toContain('Today&#x27;s round is still open.')
})

test('a split without a reward promises none for today', () => {
  const terms = draw('terms', { data: { ...DATA, round: { ...DATA.round, split: { need: 90, reward: 0, platform: 10, winners: 0 } } } })
  expect(terms).toContain('90% for people in need, 10% for the platform.')
  expect(terms).not.toMatch(/winner|reward/i)
})

test('help that waits for more than 14 days is said openly, where the waiting time stands', () => {
  const LATE = [
    ['en', 'Help of 6 Nov 2026 has not been sent for 15 days. That is too long.'],
    ['hi', 'की मदद 15 दिन से नहीं भेजी गई है। यह बहुत देर है।'],
  ] as const
  const waiting = (page: string, days: number, language: 'en' | 'hi'): string => {
    const home = { ...DATA.home, help: { medianDays: 3, oldest: { day: '2026-11-06', days } } }
    return draw(page, { language, data: { ...DATA, home } })
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ')
  }
  for (const page of ['home', 'moneyTrail'])
    for (const [language, words] of LATE) {
      expect(waiting(page, 15, language), `${page} ${language}`).toContain(words)
      const inTime = waiting(page, 14, language)
      expect(inTime).not.toMatch(/too long|बहुत देर/)
      expect(inTime).toMatch(/within 3 days|3 दिन/)
    }
})

test('people helped, stories by 6 PM and videos are said where the money is, and nothing before the first', () => {
  const none = { people: 0, stories: { due: 0, inTime: 0 }, payments: { count: 0, withVideo: 0 }, arrivals: { due: 0, inTime: 0 } }
  for (const page of ['home', 'moneyTrail']) {
    const text = draw(page)
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ')
    expect(text, page).toContain('4 people and families were helped.')
    expect(text, page).toContain('Stories out by 6 PM, in the last 30 days: 28 of 30.')
    expect(text, page).toContain('Payments of help with a video, in the last 30 days: 7 of 9.')
    expect(text, page).toContain('confirmed as received within 7 days by somebody other than the payer: 6 of 8.')
    expect(draw(page, { data: { ...DATA, home: { ...DATA.home, helped: none } } }), page).not.toMatch(
      /by 6 PM|families were helped|with a video|confirmed as received/,
    )
  }
})

test('a day without a draw says that its rupees were returned', () => {
  const nothing = { need: 0, reward: 0, platform: 0 }
  const day: Day = { ...DAY, status: 'void', split: nothing, perRupee: nothing, winners: [] }
  const trail = draw('moneyTrail', {
    data: { ...DATA, days: { ...(DATA.days as NonNullable<PageData['days']>), days: [day] } },
  })
  expect(trail).toMatch(/Returned to members<\/span><span class="amount">₹3\.00/)
  expect(trail).not.toContain('Help sent so far')
})

test('a day that nobody joined shows what was given to the help fund on it, and the help that was paid from that', () => {
  const nothing = { need: 0, reward: 0, platform: 0 }
  const entry = { date: '2026-11-21', language: 'en' as const, translations: {}, hasPictures: true, withheld: [] }
  const shoes = {
    ...entry,
    id: 'a',
    amount: 20,
    allotted: 20,
    purpose: 'school shoes',
    name: 'Meera',
    received: null,
    evidence: [],
    back: [],
  }
  const empty: Day = { ...DAY, status: 'void', entries: 0, intake: 0, split: nothing, perRupee: nothing, winners: [] }
  const days = DATA.days as NonNullable<PageData['days']>
  const drawn = (page: string, day: Day) => draw(page, { data: { ...DATA, days: { ...days, days: [day] } } })
  for (const page of ['moneyTrail', 'dailyReports']) {
    const given = drawn(page, { ...empty, gifts: 20, disbursed: 20, receipts: [shoes] })
    expect(given, page).toMatch(
      /Donations to the help fund<\/span><span class="amount">₹20\.00.*Help sent so far<\/span><span class="amount">₹20\.00.*school shoes for Meera/,
    )
    expect(drawn(page, empty), page).not.toMatch(/Donations to the help fund|<h3>Bills/)
  }
})

test('a day’s report keeps the balances at its end apart from its movements, and the winner’s name before the label', () => {
  const books = { help: { closing: 12.6 }, topups: 30, withdrawals: 10, refunds: 0, liabilities: { total: 247, count: 3 } } as Day['books']
  const report = draw('dailyReports', {
    data: { ...DATA, days: { ...(DATA.days as NonNullable<PageData['days']>), days: [{ ...DAY, books }] } },
  })
  expect(report).toContain('Winner: Asha V. (line 2)')
  expect(report).toMatch(
    /Withdrawn.*<h3>At the day&#x27;s end<\/h3>.*Members&#x27; money with us<\/span><span class="amount">₹247\.00.*Help fund/,
  )
  expect(draw('impactStories')).toMatch(/Winner: .*No outsider confirmed this list in time/)
})

test('help that came back whole keeps its row, and the money trail lists corrections and platform entries with their bills', () => {
  const entry = { date: '2026-11-21', language: 'en' as const, translations: {}, hasPictures: true, withheld: [] }
  const back = { ...entry, id: 'b', amount: 1.2, purpose: 'The shop was closed', evidence: ['bb'.repeat(32)] }
  const shoes = {
    ...entry,
    id: 'a',
    amount: 0,
    allotted: 0,
    purpose: 'school shoes',
    translations: { hi: 'स्कूल के जूते' },
    name: 'Meera',
    received: null,
    evidence: ['aa'.repeat(32)],
    back: [back],
  }
  const days = DATA.days as NonNullable<PageData['days']>
  const rent = {
    ...entry,
    id: 'c',
    kind: 'platform_out' as const,
    amount: 0.25,
    purpose: 'Rent of the office',
    evidence: ['cc'.repeat(32), 'dd'.repeat(32)],
    withheld: ['dd'.repeat(32)],
  }
  const otherEntries = [rent, { ...back, kind: 'disbursement_back' as const }]
  const data: PageData = { ...DATA, days: { ...days, otherEntries, days: [{ ...DAY, receipts: [shoes] }] } }
  for (const [language, words] of [
    [
      'en',
      [
        'school shoes for Meera',
        '₹1.20',
        'Came back: ₹1.20',
        'All that this day gave to it is back in the help fund',
        'share paid out',
        'Picture withheld',
      ],
    ],
    [
      'hi',
      [
        'Meera के लिए स्कूल के जूते',
        '<span lang="en">The shop was closed</span>',
        'लौट आया: ₹1.20',
        'प्लेटफ़ॉर्म का हिस्सा दिया गया',
        'लौट आई मदद',
        'फ़ोटो रोकी गई है',
      ],
    ],
  ] as const) {
    const trail = draw('moneyTrail', { language, data })
    for (const word of [
      ...words,
      'The shop was closed',
      'Rent of the office',
      `/api/receipts/${rent.evidence[0]}`,
      `/api/receipts/${back.evidence[0]}`,
    ])
      expect(trail, `${language}: ${word}`).toContain(word)
    expect(trail).not.toContain(`/api/receipts/${rent.withheld[0]}`)
  }
  expect(draw('moneyTrail')).toContain('No such entries yet')
  expect(draw('moneyTrail', { language: 'hi' })).toContain('अभी ऐसी कोई एंट्री नहीं है')
})

test('the order that a day decided is on its page with case numbers alone, and a list of today before it is drawn', () => {
  const days = DATA.days
  if (days === undefined) throw new Error('no days')
  const numbers = ['7K2M', '3F9A']
  const withOrder = (isDrawn: boolean): PageData => ({
    ...DATA,
    days: { ...days, frozen: [{ day: '2026-11-21', numbers: ['0001', 'ZZZZ'] }], days: [{ ...DAY, helpOrder: { numbers, isDrawn } }] },
  })
  const drawn = draw('moneyTrail', { data: withOrder(true) })
  expect(drawn).toContain('<ol class="case-numbers"><li>#7K2M</li><li>#3F9A</li></ol>')
  expect(drawn).toContain('--order 7K2M,3F9A')
  expect(drawn).toContain('<ul class="case-numbers"><li>#0001</li><li>#ZZZZ</li></ul>')
  const undrawn = draw('moneyTrail', { data: withOrder(false), language: 'hi' })
  expect(undrawn).toContain('<ul class="case-numbers"><li>#7K2M</li>')
  expect(undrawn).not.toContain('--order')
  expect(draw('moneyTrail')).not.toContain('class="case-numbers"')
})
