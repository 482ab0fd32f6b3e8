/**
 * Plain words for the reasons that make a step weak. The script shows the reason that the verifier names and fills in its values. Total
 * over the reasons.
 */
import { Trans } from '@lingui/react/macro'
import { hasDraw } from '@roz/core/modes.ts'
import { Weakness as WeaknessWords } from '../features/WinnerLabel.tsx'
import { type StepName, WEAKNESSES, type Weakness } from '@roz/verifier/steps.ts'
import { usePage } from './context.ts'

const Value = ({ name }: { readonly name: string }) => <b data-value={name} translate="no" />

function Demo() {
  const { modes } = usePage()
  return <WeaknessWords isDemo draws={hasDraw(modes)} several={modes.split.winners > 1} />
}

/** One text for three reasons: the page in Hindi must fit into its bytes, and the program names each. */
const Missing = () => (
  <Trans>
    <Value name="paise" /> paise are missing or without public proof.
  </Trans>
)

const WORDS = {
  'local-list': Demo,
  unseen: () => <WeaknessWords isDemo={false} />,
  'too-few': () => (
    <Trans>
      Only <Value name="witnesses" /> confirmed this list in time, and <Value name="needed" /> witnesses were needed: we could have changed
      it.
    </Trans>
  ),
  'no-number': () => (
    <Trans>
      The public random number <Value name="round" /> did not appear, and everyone got ₹1 back. Its signature, if anyone has it, disproves
      this.
    </Trans>
  ),
  'known-number': Demo,
  'high-tax': () => (
    <Trans>
      <Value name="percent" /> percent of each prize was kept as tax.
    </Trans>
  ),
  uncovered: () => <Missing />,
  unproven: () => <Missing />,
  'no-loss': () => <Missing />,
  'other-source': () => (
    <Trans>
      The random number came from <Value name="chain" />
      …, not from the agreed public source: somebody could have known it before.
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
