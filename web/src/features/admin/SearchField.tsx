/** The search field of a list in the portal. Results follow the typing; Enter never submits a surrounding form. */
import { TextField } from '../../ui/Field.tsx'

type SearchFieldProps = {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly onType: (text: string) => void
}

export function SearchField({ onType, ...field }: SearchFieldProps) {
  return (
    <TextField
      {...field}
      type="search"
      autoComplete="off"
      maxLength={200}
      onChange={(event) => onType(event.target.value)}
      onKeyDown={(event) => (event.key === 'Enter' ? event.preventDefault() : undefined)}
    />
  )
}
