/** The charity's own name, or in the reader's language that there is none yet (spec section 3, Impact story). */
import { Trans } from '@lingui/react/macro'

const PENDING_CHARITY = 'Pending Charity Selection'
export const isPendingCharity = (name: string): boolean => name === PENDING_CHARITY

export function CharityName({ name }: { readonly name: string }) {
  return isPendingCharity(name) ? <Trans>Pending Charity Selection</Trans> : name
}
