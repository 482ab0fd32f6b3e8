/**
 * Plain words for the reasons that make a step weak. The script shows the reason that the verifier names and fills in its values. Total
 * over the reasons.
 */
import { Trans } from '@lingui/react/macro'
import { type StepName, WEAKNESSES, type Weakness } from '@roz/verifier/steps.ts'

const Value = ({ name }: { readonly name: string }) => <b data-value={name} translate="no" />

const WORDS = {
  'local-list': () => <Trans>A demo draw: whoever knew its number beforehand could have changed the list before it was sealed.</Trans>,
  unseen: () => <Trans>No witness outside our house saw the seal in time: we could have changed the list.</Trans>,
  'too-few': () => (
    <Trans>
      Only <Value name="witnesses" /> saw the seal in time, and <Value name="needed" /> witnesses were needed: we could have changed the
      list.
    </Trans>
  ),
  'no-number': () => (
    <Trans>
      The public number of round <Value name="round" /> never appeared, and the day was given back. Whoever has its signature can disprove
      that.
    </Trans>
  ),
  'known-number': () => <Trans>A demo draw: we knew the number beforehand and could have chosen the winner.</Trans>,
  'other-source': () => (
    <Trans>
      The number did not come from the public source that everybody trusts, but from <Value name="chain" />
      …: somebody could know it beforehand.
    </Trans>
  ),
} as const satisfies Record<Weakness, () => React.ReactNode>

export function WeakWords({ step }: { readonly step: StepName }) {
  const possible: Readonly<Partial<Record<StepName, readonly Weakness[]>>> = WEAKNESSES
  return possible[step]?.map((weakness) => {
    const Words = WORDS[weakness]
    return (
      <p key={weakness} data-for="weak" data-weakness={weakness} hidden>
        <Words />
      </p>
    )
  })
}
