/** The split of a rupee as a ruler of 100 paise. Its parts differ in pattern as well as in colour. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Modes, SplitShown } from '@roz/core/modes.ts'
import type { ReactNode } from 'react'
import { Key } from './Art.tsx'
import { formatMoney } from './Money.tsx'

type SplitShare = { readonly part: 'need' | 'gift' | 'run'; readonly percent: number; readonly words: string }

/** The shares of a round in words. Every sentence about a split is made of these; a share of nothing is left out. */
export function useShares({ need, reward, platform, winners }: SplitShown): readonly SplitShare[] {
  const { t } = useLingui()
  const shares: readonly SplitShare[] = [
    { part: 'need', percent: need, words: t`${need}% for people in need` },
    { part: 'gift', percent: reward, words: winners === 1 ? t`${reward}% for one winner` : t`${reward}% shared by ${winners} winners` },
    { part: 'run', percent: platform, words: t`${platform}% for the platform` },
  ]
  return shares.filter(({ percent }) => percent > 0)
}

/** The tax withheld from a reward; nothing without a tax or without a reward. */
export function TaxNote({ split, tax }: Pick<Modes, 'split' | 'tax'>) {
  if (tax === null || split.winners === 0) return null
  const { percent } = tax
  const above = formatMoney(tax.aboveRupees)
  return tax.aboveRupees === 0 ? (
    <Trans>{percent}% of each reward is withheld as tax.</Trans>
  ) : (
    <Trans>
      Of a reward above {above}, {percent}% is withheld as tax.
    </Trans>
  )
}

/** Widths are classes (`.p60`), because the content security policy of served pages forbids style attributes. */
export function Ruler({ split }: { readonly split: SplitShown }) {
  const shares = useShares(split)
  return (
    <div className="ruler" role="img" aria-label={shares.map(({ words }) => words).join(', ')}>
      <div>
        {shares.map(({ part, percent }) => (
          <span key={part} className={`${part} p${percent}`} />
        ))}
      </div>
    </div>
  )
}

/** A ruled row: key or icon, label, and the amount on the right. */
export function LedgerRow({
  part,
  label,
  children,
  sum = false,
  shown = {},
}: {
  readonly part?: 'need' | 'gift' | 'run'
  readonly label: ReactNode
  readonly children: ReactNode
  readonly sum?: boolean
  /** Attributes of a row that a condition shows. */
  readonly shown?: object
}) {
  return (
    <div className={sum ? 'sum' : undefined} {...shown}>
      {part === undefined ? null : <Key part={part} />}
      <span>{label}</span>
      <span className="amount">{children}</span>
    </div>
  )
}
