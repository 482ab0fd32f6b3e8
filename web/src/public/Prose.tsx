/** Renders long texts: Markdown from locales/<language>/pages, converted to HTML at build time, with settings and limits filled in. */
import { content } from 'virtual:content'
import { useLingui } from '@lingui/react/macro'
import { WITHDRAWAL_MIN } from '@roz/core/money-fields.ts'
import { chanceOf, hasDraw, type Modes } from '@roz/core/modes.ts'
import { rupeesFromPaise } from '@roz/core/money.ts'
import { JOINS_PER_YEAR_MAX } from '@roz/core/round.ts'
import { formatMoney } from '../ui/Money.tsx'
import { usePage } from './context.ts'

/** Keeps `{if draws}…{end}` where rounds have a draw, `{if no draws}…{end}` where not, and so on. On a line of its own a mark is a paragraph. */
function inModes(html: string, modes: Modes): string {
  const on: Readonly<Record<string, boolean>> = {
    draws: hasDraw(modes),
    several: modes.split.winners > 1,
    topups: modes.topupsOn,
    withdrawals: modes.withdrawalsOn,
    transfer: modes.byTransfer === true,
    names: modes.checksNames === true,
  }
  const judge = (_whole: string, no: string | undefined, name: string, kept: string): string => {
    if (on[name] === undefined) throw new Error(`a long text asks for the unknown mode “${name}”`)
    return on[name] === (no === undefined) ? kept : ''
  }
  // The innermost first.
  let marked = html.replace(/<p>(\{(?:if [^}]+|end)\})<\/p>/g, '$1')
  for (let before = ''; before !== marked; ) {
    before = marked
    marked = marked.replace(/\{if (no )?(\w+)\}((?:(?!\{if ).)*?)\{end\}/gs, judge)
  }
  if (marked.includes('{if ') || marked.includes('{end}')) throw new Error('a long text has a mark without its end')
  return marked
}

const escape = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** One long text in the page’s language. */
export function Prose({ name }: { readonly name: keyof (typeof content)['en'] }) {
  const { t } = useLingui()
  const { site, language, to, modes } = usePage()
  const { brandName, legalEntity } = site
  const values: Readonly<Record<string, string>> = {
    brandName,
    supportEmail: site.supportEmail,
    supportPhone: site.supportPhone,
    officeAddress: site.officeAddress,
    minAge: String(site.minAgeYears),
    whoRuns: legalEntity === undefined ? t`We run ${brandName}.` : t`${legalEntity} runs ${brandName}.`,
    grievanceOfficer: site.grievanceOfficer ?? site.supportEmail,
    topupMin: formatMoney(site.topupMinRupees),
    topupMax: formatMoney(site.topupMaxRupees),
    withdrawalMin: formatMoney(rupeesFromPaise(WITHDRAWAL_MIN)),
    // One rupee for each join.
    yearMax: formatMoney(JOINS_PER_YEAR_MAX),
    contactUs: to('contactUs'),
    refundPolicy: to('refundPolicy'),
    privacyPolicy: to('privacyPolicy'),
    terms: to('terms'),
    moneyTrail: to('moneyTrail'),
    giveawaySelection: to('giveawaySelection'),
    wins: String(chanceOf(100, modes.split.winners).wins),
  }
  const html = inModes(content[language][name], modes).replace(/(?:\{|%7B)(\w+)(?:\}|%7D)/g, (whole, key: string) =>
    values[key] === undefined ? whole : escape(values[key]),
  )
  return <div className="prose" dangerouslySetInnerHTML={{ __html: html }} />
}
