/** Chooses the disbursement that a new story tells of: one without a story yet. It fills the story's first words. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../app/api.ts'
import { SelectField } from '../../ui/Field.tsx'
import { formatMoney } from '../../ui/Money.tsx'

/** An empty id: the story tells of none. */
export type ToldHelp = { readonly id: string; readonly purpose: string; readonly name: string }
const NONE: ToldHelp = { id: '', purpose: '', name: '' }

export function HelpField({ chosen, onChoose }: { readonly chosen: string; readonly onChoose: (help: ToldHelp) => void }) {
  const { t } = useLingui()
  const { data } = useQuery({
    queryKey: ['admin', 'told-help'],
    queryFn: ({ signal }) => call('disbursements', { query: { status: 'booked', limit: 100 }, signal }),
  })
  const helps = (data?.disbursements ?? []).filter(
    ({ kind, beneficiary, storyId, amount, returned }) =>
      kind === 'disbursement' && !beneficiary.isRevoked && storyId === null && returned < amount,
  )
  const choose = (id: string): void => {
    const help = helps.find((each) => each.id === id)
    onChoose(help === undefined ? NONE : { id, purpose: help.purpose, name: help.beneficiary.publicName })
  }
  return (
    <SelectField
      label={t`Help that it tells of`}
      hint={t`Everybody whose rupee is in it is told when the story is published.`}
      value={chosen}
      onChange={(event) => choose(event.target.value)}
    >
      <option value="">
        <Trans>None</Trans>
      </option>
      {helps.map(({ id, purpose, amount, returned, beneficiary: { publicName } }) => (
        <option key={id} value={id}>
          {t`${purpose} for ${publicName}, ${formatMoney(amount - returned)}`}
        </option>
      ))}
    </SelectField>
  )
}
