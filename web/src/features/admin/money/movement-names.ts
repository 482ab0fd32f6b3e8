/** Names of what moves money through our bank. */
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'

const NAMES: Readonly<Record<string, MessageDescriptor>> = {
  gateway_settled: msg`Settlement of the gateway`,
  settlement_back: msg`Settlement that came back`,
  settlement_again: msg`Settlement paid again`,
  wd_paid: msg`Withdrawal`,
  wd_reversed: msg`Withdrawal that came back`,
  wd_conflict: msg`Withdrawal paid after its end`,
  wd_conflict_back: msg`Withdrawal that came back`,
  suspense_paid: msg`Payment from suspense`,
  disbursement: msg`Help paid`,
  disbursement_back: msg`Help that came back`,
  platform_out: msg`Platform share paid out`,
  tds_remitted: msg`Tax remitted`,
}

/** The name of a kind of movement. A newer server's kind is its own word. */
export function useMovementName(): (kind: string) => string {
  const { i18n } = useLingui()
  return (kind) => {
    const name = NAMES[kind]
    return name === undefined ? kind : i18n._(name)
  }
}
