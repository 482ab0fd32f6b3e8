/** The split of a rupee as a ruler of 100 paise. Its parts differ in pattern as well as in colour. */
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Key } from './Art.tsx'

export type SplitPercent = { readonly need: number; readonly reward: number; readonly platform: number }

/** Widths are classes (`.p60`), because the content security policy of served pages forbids style attributes. */
export function Ruler({ split }: { readonly split: SplitPercent }) {
  const { t } = useLingui()
  const { need, reward, platform } = split
  const label =
    platform === 0
      ? t`${need}% for people in need, ${reward}% for the winners`
      : t`${need}% for people in need, ${reward}% for one winner, ${platform}% for the platform`
  return (
    <div className="ruler" role="img" aria-label={label}>
      <div>
        <span className={`need p${need}`} />
        <span className={`gift p${reward}`} />
        {platform === 0 ? null : <span className={`run p${platform}`} />}
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
}: {
  readonly part?: 'need' | 'gift' | 'run'
  readonly label: ReactNode
  readonly children: ReactNode
  readonly sum?: boolean
}) {
  return (
    <div className={sum ? 'sum' : undefined}>
      {part === undefined ? null : <Key part={part} />}
      <span>{label}</span>
      <span className="amount">{children}</span>
    </div>
  )
}
