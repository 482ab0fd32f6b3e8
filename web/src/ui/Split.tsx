/** How a rupee is cut: a ruler of a hundred paise, its parts told apart by pattern as well as colour. */
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Key } from './Art.tsx'

export type SplitPercent = { readonly need: number; readonly reward: number; readonly platform: number }

/** Widths are classes (`.p60`): the content security policy allows no style attribute in served pages. */
export function Ruler({ split }: { readonly split: SplitPercent }) {
  const { t } = useLingui()
  const { need, reward, platform } = split
  const label =
    platform === 0
      ? t`${need}% for people in need, ${reward}% for members`
      : t`${need}% for people in need, ${reward}% for one member, ${platform}% for the platform`
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

/** A ruled row: key or icon, words, amount at the right. */
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
