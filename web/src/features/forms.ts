/**
 * Forms: rules from core (zod/mini), judged when a field is left and then as it is typed. Problems
 * travel as field codes or as the server's ready words; `wordsOf` makes text of both.
 */
import { type Words, wordsIn } from '@roz/core/field-words.ts'
import { PERSON_TEXTS } from '@roz/core/person-fields.ts'
import type { ChangeEvent } from 'react'
import {
  type DefaultValues,
  type FieldErrors,
  type FieldValues,
  type Path,
  type Resolver,
  type UseFormRegisterReturn,
  type UseFormReturn,
  useForm,
} from 'react-hook-form'
import * as z from 'zod/mini'
import { ApiError } from '../app/api.ts'
import { currentLanguage } from '../app/language.ts'
import { toast } from '../ui/Toast.tsx'

/** The first problem of each field, as React Hook Form wants them. */
const judge =
  <V extends FieldValues>(rules: z.ZodMiniType<V, V>): Resolver<V> =>
  (given) => {
    const { data, error } = z.safeParse(rules, given)
    if (error === undefined) return { values: data, errors: {} }
    const errors: Record<string, { readonly type: string; readonly message: string }> = {}
    for (const { path, code, message } of error.issues) errors[path.join('.')] ??= { type: code ?? 'custom', message }
    return { values: {}, errors: errors as FieldErrors<V> }
  }

export function useRules<V extends FieldValues>(rules: z.ZodMiniType<V, V>, defaultValues: DefaultValues<V>): UseFormReturn<V> {
  return useForm<V>({ resolver: judge(rules), mode: 'onTouched', defaultValues })
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

type WordsOf = {
  (problem: string): string
  (problem: string | undefined): string | undefined
}
/** The words of a problem: a code of these tables in the chosen language, else the server's text as it is. */
export function wordsFrom(...tables: readonly Words[]): WordsOf {
  const words: Words = Object.assign({}, ...tables)
  const wordsOf = (problem: string | undefined) =>
    problem === undefined ? undefined : (wordsIn(words, problem, currentLanguage()) ?? problem)
  return wordsOf as WordsOf
}
/** Of a form about a person; others have a table of their own beside this one. */
export const wordsOf = wordsFrom(PERSON_TEXTS)

/** Problems by field, in the order of the form. */
export function problemsOf<V extends FieldValues>(values: V, errors: FieldErrors<V>): Record<string, string | undefined> {
  const named = errors as Record<string, { readonly message?: string } | undefined>
  return Object.fromEntries(Object.keys(values).map((field) => [field, named[field]?.message]))
}

/** The toast of a submit that the rules refuse (spec section 5): the first problem in the order of the form. */
export const tellFirst =
  <V extends FieldValues>(form: UseFormReturn<V>, words: WordsOf = wordsOf) =>
  (problems: FieldErrors<V>): void => {
    const problem = Object.values(problemsOf(form.getValues(), problems)).find((code) => code !== undefined)
    if (problem !== undefined) toast.error(words(problem))
  }

/** For a field that another one is judged by: what was said of that one may be true no longer. */
export const judgeAgain = <N extends string>(form: Judged<N>, other: N) => ({
  onChange: () => void (form.getFieldState(other).invalid && form.trigger(other)),
})
type Judged<N> = {
  readonly getFieldState: (name: N) => { readonly invalid: boolean }
  readonly trigger: (name: N) => Promise<boolean>
}

/** Puts the server's complaints beside their fields; `root` says that no answer came, until the next submit. */
export function showRefusedFields<V extends FieldValues>(form: UseFormReturn<V>, error: unknown): void {
  if (!(error instanceof ApiError)) return
  // Unanswered (api.ts).
  if (error.status === 504) form.setError('root', {})
  const known = new Set(Object.keys(form.getValues()))
  for (const [path, message] of Object.entries(error.fields)) {
    const field = path.split('.').at(-1) ?? path
    if (known.has(field)) form.setError(field as Path<V>, { message })
  }
}
