/** The charity's name, or in the reader's language the label that no charity is selected yet. */
import { Trans } from '@lingui/react/macro'

const PENDING_CHARITY = 'Pending Charity Selection'
export const isPendingCharity = (name: string): boolean => name === PENDING_CHARITY

export function CharityName({ name }: { readonly name: string }) {
  return isPendingCharity(name) ? <Trans>Pending Charity Selection</Trans> : name
}
