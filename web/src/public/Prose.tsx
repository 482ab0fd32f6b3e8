/** Renders long texts: Markdown from web/src/content, converted to HTML at build time, with settings and limits filled in. */
import { content } from 'virtual:content'
import { useLingui } from '@lingui/react/macro'
import { WITHDRAWAL_MIN } from '@roz/core/money-fields.ts'
import { rupeesFromPaise } from '@roz/core/money.ts'
import { JOINS_PER_YEAR_MAX } from '@roz/core/round.ts'
import { formatMoney } from '../ui/Money.tsx'
import { usePage } from './context.ts'

const escape = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** One long text in the page’s language. */
export function Prose({ name }: { readonly name: keyof (typeof content)['en'] }) {
  const { t } = useLingui()
  const { site, language, to } = usePage()
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
  }
  const html = content[language][name].replace(/(?:\{|%7B)(\w+)(?:\}|%7D)/g, (whole, key: string) =>
    values[key] === undefined ? whole : escape(values[key]),
  )
  return <div className="prose" dangerouslySetInnerHTML={{ __html: html }} />
}
