/** The inputs of amounts. */
import { shownAmount } from '@roz/core/typed-money.ts'
import type { FocusEvent } from 'react'
import type { FieldValues, Path, UseFormRegisterReturn, UseFormReturn } from 'react-hook-form'

/** Registers an amount: it stays as typed, and is shown as it was read when the field is left. */
export function registerAmount<V extends FieldValues>(form: UseFormReturn<V>, name: Path<V>) {
  const field: UseFormRegisterReturn<Path<V>> = form.register(name)
  return {
    ...field,
    onBlur: (event: FocusEvent<HTMLInputElement>): Promise<void | boolean> => {
      const shown = shownAmount(event.target.value)
      if (shown !== event.target.value) event.target.value = shown
      return field.onBlur(event)
    },
  }
}
