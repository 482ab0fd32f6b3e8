/** The front page's four cards: what anyone can check, each with the page that shows it. */
import { Trans, useLingui } from '@lingui/react/macro'
import { chanceOf, hasDraw } from '@roz/core/modes.ts'
import { Seal } from '../ui/Art.tsx'
import type { PublicPage } from '../paths.ts'
import { Section } from '../ui/Section.tsx'
import { usePage } from './context.ts'

export function TrustCards() {
  const { t } = useLingui()
  const { to, modes } = usePage()
  const { wins, of } = chanceOf(100, modes.split.winners)
  const cards: readonly (readonly [seal: string, title: string, text: string, page: PublicPage, link: string])[] = [
    [t`6 PM`, t`Videos, announced for 6 PM`, t`Who was helped, with what, and how much it cost.`, 'impactVideos', t`Impact Videos`],
    [t`Open`, t`Every rupee in public`, t`What came in and where it went, from live data.`, 'moneyTrail', t`Money Trail`],
    hasDraw(modes)
      ? [
          t`Fair`,
          t`The same chance for everyone`,
          t`With ${of} members in the round, the chance of each is ${wins} in ${of}.`,
          'giveawaySelection',
          t`Giveaway Selection`,
        ]
      : [
          t`Fair`,
          t`The same rupee for everyone`,
          t`Nobody can put in more than ₹1 a day, and nobody gets anything back for it.`,
          'dailyContributions',
          t`Daily Contributions`,
        ],
    [
      t`Direct`,
      t`No middlemen or NGOs`,
      t`Our team pays the school, the chemist or the shop directly, and keeps the bill.`,
      'directHelpProcess',
      t`Direct Help Process`,
    ],
  ]
  return (
    <Section when={<Trans>In public</Trans>}>
      <h2>{t`Don't trust us. Check.`}</h2>
      <ul className="trust">
        {cards.map(([seal, title, text, page, link], index) => (
          <li key={page}>
            <Seal word={seal} tilt={index % 2 === 0 ? 'left' : 'right'} />
            <div>
              <h3>{title}</h3>
              <p>{text}</p>
              <a className="tap" href={to(page)}>
                {link}
              </a>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  )
}
