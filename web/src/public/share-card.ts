/**
 * The words of a shared link: for its meta tags, and for its picture, which the server draws.
 * - It names no member. Its figures come from the day or story behind the link.
 */
import type { I18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { ShareCard, ShareSubject, SiteFacts } from '@roz/contract/public-pages.ts'
import type { Language } from '@roz/core/language.ts'
import { formatCount } from '@roz/core/numbers.ts'
import { hasDraw, type Modes } from '@roz/core/modes.ts'
import { isPendingCharity } from '../features/CharityName.tsx'
import type { PublicPage } from '../paths.ts'
import { type ArtName, sprite } from '../ui/art.ts'
import { formatDay } from '../ui/format.ts'
import { formatMoney } from '../ui/Money.tsx'
import { PAGE_TITLES, titleOf } from './titles.ts'

type PageCard = { readonly lead: ReturnType<typeof msg>; readonly art: Drawing }
const PAGES: Readonly<Record<PublicPage, PageCard>> = {
  home: { art: 'cut', lead: msg`One rupee a day from each member, one round a day.` },
  privacyPolicy: { art: 'coin', lead: msg`Effective August 9, 2025` },
  refundPolicy: { art: 'stack', lead: msg`Request within 7 days; paid in 5–10 business days.` },
  terms: { art: 'slip', lead: msg`The rules between you and us, in plain words.` },
  dailyContributions: { art: 'coin', lead: msg`One rupee a day from each member, one round a day.` },
  directHelpProcess: { art: 'slip', lead: msg`From the round to the person in need, without middlemen or NGOs.` },
  giveawaySelection: { art: 'stack', lead: msg`How the winners of the Thank You Reward are selected.` },
  impactVideos: {
    art: 'play',
    lead: msg`Daily impact videos are announced for 6 PM: who was helped, with what, and how much it cost.`,
  },
  dailyReports: { art: 'slip', lead: msg`One report for each day: what came in, who won, what was set aside and sent.` },
  videoDocumentation: { art: 'play', lead: msg`How we show what your rupees do, and all videos so far.` },
  moneyTrail: { art: 'cut', lead: msg`Every rupee in, and where it went: live figures.` },
  impactStories: { art: 'slip', lead: msg`Stories of the help, newest first.` },
  askForHelp: { art: 'stack', lead: msg`For you, or for somebody you know. It costs nothing.` },
  helpCenter: { art: 'stack', lead: msg`Six questions that members ask most.` },
  contactUs: { art: 'coin', lead: msg`We answer within 1–2 business days.` },
  verify: { art: 'coin', lead: msg`Don't trust us. Check.` },
}

/** The words of those pages if rounds have no draw. */
const WITHOUT_DRAW: Partial<Record<PublicPage, PageCard['lead']>> = {
  giveawaySelection: msg`Each rupee is for people in need and for running the platform.`,
  dailyReports: msg`One report for each day: what came in, what was set aside and sent.`,
}

/** The line below the title, of the page and of its shared link. */
export const leadOf = (page: PublicPage, modes: Modes): PageCard['lead'] =>
  (hasDraw(modes) ? undefined : WITHOUT_DRAW[page]) ?? PAGES[page].lead

type Site = Pick<SiteFacts, 'brandName' | 'modes'>

export function cardOf(subject: ShareSubject, language: Language, { brandName, modes }: Site, i18n: I18n): ShareCard {
  const tagline = i18n._(PAGE_TITLES.home)
  return { brand: brandName, tagline, ...wordsOf(subject, language, modes, i18n) }
}

function wordsOf(subject: ShareSubject, language: Language, modes: Modes, i18n: I18n): Omit<ShareCard, 'brand' | 'tagline'> {
  if (subject.kind === 'page') {
    const page = subject.page as PublicPage
    const lead = i18n._(leadOf(page, modes))
    return { when: '', title: i18n._(titleOf(page, modes)), lead, figures: [], art: artOf(PAGES[page].art) }
  }
  if (subject.kind === 'day') {
    // A date must not be broken across lines.
    const date = formatDay(subject.day, language).replaceAll(' ', '\u00a0')
    const figures = [
      { label: i18n._(msg`Members who joined`), value: formatCount(subject.entries) },
      { label: i18n._(msg`Put in`), value: formatMoney(subject.intake) },
      { label: i18n._(msg`For people in need`), value: formatMoney(subject.need) },
    ]
    return {
      when: i18n._(msg`Don't trust us. Check.`),
      title: i18n._(msg`The round of ${date}`),
      lead: listed(figures),
      figures,
      art: artOf('cut'),
    }
  }
  if (subject.kind === 'milestone') {
    const days = formatCount(subject.days)
    return {
      when: i18n._(msg`One rupee a day`),
      title: i18n._(msg`${days} days given`),
      lead: i18n._(msg`Help for people in need, and every paisa public.`),
      figures: [{ label: i18n._(msg`Put in`), value: formatMoney(subject.days) }],
      art: artOf('stack'),
    }
  }
  const { story } = subject
  const label = i18n._(story.sent ? msg`Sent to people in need` : msg`Set aside for people in need`)
  const figures = story.amount > 0 ? [{ label, value: formatMoney(story.amount) }] : []
  const charity = isPendingCharity(story.charity.name) ? '' : story.charity.name
  return {
    when: formatDay(story.date, language),
    title: story.title,
    lead: charity === '' ? listed(figures) : charity,
    figures,
    art: artOf(story.videoUrl === null ? 'slip' : 'play'),
  }
}

const listed = (figures: ShareCard['figures']): string => figures.map(({ label, value }) => `${label}: ${value}`).join(' · ')

type Drawing = Extract<ArtName, 'coin' | 'cut' | 'stack' | 'slip' | 'play'>
const FRAMES = {
  coin: '0 0 120 120',
  cut: '-10 -14 158 152',
  stack: '26 0 84 96',
  slip: '26 0 84 96',
  play: '0 0 120 120',
} as const satisfies Record<Drawing, string>
const COLOURS: Readonly<Record<string, string>> = {
  '--i-leaf': '#74b488',
  '--i-mari': '#f6b73c',
  '--i-terra': '#e2814f',
  '--i-ink': '#2a1a10',
  '--i-line': '#2a1a10',
  '--i-edge': '#2a1a10',
  '--i-paper': '#ffffff',
  '--thread': '#ffe6c7',
}

/** A drawing on its own. The program that draws it supports no CSS variables, so each colour of the coin needs its own symbol. */
function artOf(name: Drawing): string {
  const [x, y, width, height] = FRAMES[name].split(' ')
  const symbols = sprite(name === 'coin' ? ['coin'] : ['coin', name])
  const inner = symbols.slice(symbols.indexOf('>') + 1, symbols.lastIndexOf('</svg>'))
  const coin = /<symbol id="coin".*?<\/symbol>/.exec(inner)?.[0] ?? ''
  const tinted = ['leaf', 'terra'].map((tint) =>
    coin.replace('id="coin"', `id="coin-${tint}"`).replace('id="ca"', '').replace('var(--cf,var(--i-mari))', `var(--i-${tint})`),
  )
  const shown = (inner + tinted.join('')).replaceAll(/class="cf-(leaf|terra)"><use href="#coin"/g, '><use href="#coin-$1"')
  const plain = shown
    .replaceAll(/var\(--cf,var\((--[\w-]+)\)\)/g, (_, variable: string) => COLOURS[variable] ?? '')
    .replaceAll(/var\((--[\w-]+)\)/g, (_, variable: string) => COLOURS[variable] ?? '')
  return `<svg viewBox="${FRAMES[name]}">${plain}<use href="#${name}" x="${x}" y="${y}" width="${width}" height="${height}"/></svg>`
}
