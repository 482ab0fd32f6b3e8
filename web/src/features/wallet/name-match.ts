/** The bank's answer about the name of a UPI ID, in words for the member. */
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Api, Output } from '@roz/contract/api.ts'

type NameMatch = NonNullable<Output<Api['transactions']>['transactions'][number]['nameMatch']>

export const NAME_MATCHES = {
  match: msg`The bank has your name for this UPI ID.`,
  no_match: msg`The bank has another name for this UPI ID. If it is not yours, contact us now.`,
  no_such_id: msg`The bank does not know this UPI ID. If it is wrong, contact us now.`,
  unknown: msg`The bank could not tell us the name of this UPI ID.`,
} as const satisfies Record<NameMatch, MessageDescriptor>

/** The payee may be somebody else. */
export const isDoubtful = (match: NameMatch): boolean => match === 'no_match' || match === 'no_such_id'
