/** The amount of a story: sent, or only set aside. A story written by hand has none. */
import { Trans } from '@lingui/react/macro'
import type { Story } from '@roz/contract/impact.ts'
import { formatMoney } from '../../ui/Money.tsx'

export function HelpAmount({ story: { amount, sent } }: { readonly story: Pick<Story, 'amount' | 'sent'> }) {
  if (amount === 0) return null
  const money = formatMoney(amount)
  return sent ? <Trans>Sent: {money}</Trans> : <Trans>Set aside: {money}</Trans>
}
