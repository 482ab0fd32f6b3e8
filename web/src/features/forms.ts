/**
 * Forms: rules from core (zod/mini), judged when a field is left and then as it is typed. Problems
 * travel as field codes or as the server's ready words; `wordsOf` makes text of both.
 */
import { zodResolver } from '@hookform/resolvers/zod'
import { fieldText } from '@roz/core/fields.ts'
import type { ChangeEvent } from 'react'
import {
  type DefaultValues,
  type FieldErrors,
  type FieldValues,
  type Path,
  type UseFormRegisterReturn,
  type UseFormReturn,
  useForm,
} from 'react-hook-form'
import type * as z from 'zod/mini'
import { ApiError } from '../api.ts'
import { currentLanguage } from '../language.ts'

export function useRules<V extends FieldValues>(rules: z.ZodMiniType<V, V>, defaultValues: DefaultValues<V>): UseFormReturn<V> {
  return useForm<V>({ resolver: zodResolver(rules), mode: 'onTouched', defaultValues })
}

/**
 * Registers a field that only takes certain letters: what is typed is cleaned before the form sees
 * it. Cleaning it afterwards by setValue would make the form drop the judgement of that keystroke.
 */
export function registerCleaned<V extends FieldValues>(form: UseFormReturn<V>, name: Path<V>, clean: (text: string) => string) {
  const field: UseFormRegisterReturn<Path<V>> = form.register(name)
  return {
    ...field,
    onChange: (event: ChangeEvent<HTMLInputElement>): Promise<void | boolean> => {
      const cleaned = clean(event.target.value)
      if (cleaned !== event.target.value) event.target.value = cleaned
      return field.onChange(event)
    },
  }
}

/** The words of a problem: a code of ours in the chosen language, else the server's text as it is. */
export function wordsOf(problem: string): string
export function wordsOf(problem: string | undefined): string | undefined
export function wordsOf(problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : (fieldText(problem, currentLanguage()) ?? problem)
}

/** Problems by field, in the order of the form. */
export function problemsOf<V extends FieldValues>(values: V, errors: FieldErrors<V>): Record<string, string | undefined> {
  const named = errors as Record<string, { readonly message?: string } | undefined>
  return Object.fromEntries(Object.keys(values).map((field) => [field, named[field]?.message]))
}

/** Puts the server's complaints beside their fields. */
export function showRefusedFields<V extends FieldValues>(form: UseFormReturn<V>, error: unknown): void {
  if (!(error instanceof ApiError)) return
  const known = new Set(Object.keys(form.getValues()))
  for (const [path, message] of Object.entries(error.fields)) {
    const field = path.split('.').at(-1) ?? path
    if (known.has(field)) form.setError(field as Path<V>, { message })
  }
}
