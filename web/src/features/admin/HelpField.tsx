/** The help that a story tells of: chosen from sent help without a story, or kept once the story was published with it. */
import { Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatMoney } from '../../ui/Money.tsx'
import { PickField } from './PickField.tsx'
import { storylessQuery, type ToldHelp } from './queries.ts'
import { usePaused } from './use-paused.ts'

type HelpFieldProps = { readonly chosen: ToldHelp | undefined; readonly onChoose: (help: ToldHelp | undefined) => void }

export function HelpField({ chosen, onChoose }: HelpFieldProps) {
  const { t } = useLingui()
  const [typed, setTyped] = useState('')
  const found = useQuery({ ...storylessQuery(usePaused(typed.trim())), placeholderData: keepPreviousData })
  return (
    <PickField
      search={{ label: t`Find the help`, placeholder: t`What it was for, or name`, typed, onType: setTyped }}
      found={found}
      chosen={chosen}
      label={t`Help that it tells of`}
      hint={t`When the story is published, every member whose rupee is in this help is told.`}
      none={t`None`}
      nameOf={({ purpose, publicName, amount }) => t`${purpose} for ${publicName}, ${formatMoney(amount)}`}
      failed={t`The help given could not be loaded.`}
      empty={typed.trim() === '' ? t`All help that was given has a story.` : t`No help that still needs a story matches your search.`}
      onChoose={onChoose}
    />
  )
}

export function KeptHelp({ help: { purpose, publicName, amount } }: { readonly help: ToldHelp }) {
  const money = formatMoney(amount)
  return (
    <p className="muted spaced">
      <Trans>
        This story is about: {purpose} for {publicName}, {money}. It was published with this help, so the help cannot be changed.
      </Trans>
    </p>
  )
}
