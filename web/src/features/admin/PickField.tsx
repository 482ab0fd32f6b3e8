/**
 * Selects one of a search's results, with its loading, failed and empty states.
 * - The chosen one stays listed while the search changes.
 */
import type { UseQueryResult } from '@tanstack/react-query'
import { NotLoaded } from '../../ui/Feedback.tsx'
import { SelectField } from '../../ui/Field.tsx'
import { SearchField } from './SearchField.tsx'

type PickFieldProps<T extends { readonly id: string }> = {
  readonly search: { readonly label: string; readonly placeholder: string; readonly typed: string; readonly onType: (text: string) => void }
  readonly found: UseQueryResult<readonly T[]>
  readonly chosen: T | undefined
  readonly label: string
  readonly hint: string
  readonly error?: string | undefined
  /** The option that chooses nothing. */
  readonly none: string
  readonly nameOf: (item: T) => string
  /** The message that the items could not be loaded. */
  readonly failed: string
  readonly empty: string
  readonly onChoose: (item: T | undefined) => void
}

export function PickField<T extends { readonly id: string }>({ search, found, ...picking }: PickFieldProps<T>) {
  return (
    <>
      <SearchField label={search.label} placeholder={search.placeholder} value={search.typed} onType={search.onType} />
      {found.data === undefined ? (
        <NotLoaded query={found} failed={picking.failed} lines={2} />
      ) : (
        <Options {...picking} items={found.data} />
      )}
    </>
  )
}

type OptionsProps<T extends { readonly id: string }> = Omit<PickFieldProps<T>, 'search' | 'found' | 'failed'> & {
  readonly items: readonly T[]
}

function Options<T extends { readonly id: string }>({ items, chosen, label, hint, error, none, nameOf, empty, onChoose }: OptionsProps<T>) {
  const listed = chosen === undefined || items.some(({ id }) => id === chosen.id) ? items : [chosen, ...items]
  return (
    <SelectField
      label={label}
      hint={items.length === 0 ? empty : hint}
      error={error}
      value={chosen?.id ?? ''}
      onChange={(event) => onChoose(listed.find(({ id }) => id === event.target.value))}
    >
      <option value="">{none}</option>
      {listed.map((item) => (
        <option key={item.id} value={item.id}>
          {nameOf(item)}
        </option>
      ))}
    </SelectField>
  )
}
