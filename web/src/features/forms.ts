/**
 * Forms with core's rules (zod/mini).
 * - A field is validated when the member leaves it, and after that on every keystroke.
 * - A problem is a field code or the server's finished message; `personError` turns both into text.
 */
import { type Words, wordsIn } from '@roz/core/field-words.ts'
import { PERSON_TEXTS } from '@roz/core/person-fields.ts'
import { type ChangeEvent, useState } from 'react'
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
import { kept, type TypedField } from './typing.ts'

/** The pastes that a field could not keep whole, by field: what it shows of them, and the problem. */
type Doubts = Map<string, { readonly text: string; readonly problem: string }>
const doubtsOf = new WeakMap<object, Doubts>()

/** The first problem of each field, in the shape of React Hook Form. */
const judge =
  <V extends FieldValues>(rules: z.ZodMiniType<V, V>, doubts: Doubts): Resolver<V> =>
  (given) => {
    const { data, error } = z.safeParse(rules, given)
    const errors: Record<string, { readonly type: string; readonly message: string }> = {}
    for (const [field, { text, problem }] of doubts) if (given[field] === text) errors[field] = { type: 'custom', message: problem }
    for (const { path, code, message } of error?.issues ?? []) errors[path.join('.')] ??= { type: code ?? 'custom', message }
    if (data !== undefined && Object.keys(errors).length === 0) return { values: data, errors: {} }
    return { values: {}, errors: errors as FieldErrors<V> }
  }

export function useRules<V extends FieldValues>(rules: z.ZodMiniType<V, V>, defaultValues: DefaultValues<V>): UseFormReturn<V> {
  const [doubts] = useState<Doubts>(() => new Map())
  const form = useForm<V>({ resolver: judge(rules, doubts), mode: 'onTouched', defaultValues })
  doubtsOf.set(form.control, doubts)
  return form
}

/**
 * Registers a field that keeps only certain characters: the input is cleaned before the form reads it.
 * Cleaning it afterwards with setValue would make the form skip the validation of that keystroke.
 */
export function registerTyped<V extends FieldValues>(form: UseFormReturn<V>, name: Path<V>, typed: TypedField) {
  const field: UseFormRegisterReturn<Path<V>> = form.register(name)
  return {
    ...field,
    onChange: async (event: ChangeEvent<HTMLInputElement>): Promise<void> => {
      const input = event.target
      const { text, caret, problem } = kept(typed, form.getValues(name), input.value, input.selectionStart ?? input.value.length)
      if (text !== input.value) {
        input.value = text
        input.setSelectionRange(caret, caret)
      }
      const doubts = doubtsOf.get(form.control)
      if (problem === undefined) doubts?.delete(name)
      else doubts?.set(name, { text, problem })
      await field.onChange(event)
      if (problem !== undefined) await form.trigger(name)
    },
  }
}

type WordsOf = {
  (problem: string): string
  (problem: string | undefined): string | undefined
}
/** The words of a problem: a code's text in the chosen language, or the server's message as it is. */
export function wordsFrom(...tables: readonly Words[]): WordsOf {
  const words: Words = Object.assign({}, ...tables)
  const personError = (problem: string | undefined) =>
    problem === undefined ? undefined : (wordsIn(words, problem, currentLanguage()) ?? problem)
  return personError as WordsOf
}
/** The words of forms about a person. Other forms have their own table. */
export const personError = wordsFrom(PERSON_TEXTS)

/** What a field of the form needs beside its label: its registration, and the words of its problem. */
export function registered<V extends FieldValues>(form: UseFormReturn<V>, name: Path<V>, words: WordsOf = personError) {
  const errors = form.formState.errors as Record<string, { readonly message?: string } | undefined>
  return { ...form.register(name), error: words(errors[name]?.message) }
}

/** The problems by field, in the order of the form. */
export function problemsOf<V extends FieldValues>(values: V, errors: FieldErrors<V>): Record<string, string | undefined> {
  const named = errors as Record<string, { readonly message?: string } | undefined>
  return Object.fromEntries(Object.keys(values).map((field) => [field, named[field]?.message]))
}

/** Sends what the form's rules accept; otherwise shows the first problem, in the order of its fields, as a toast. */
export const whenValid = <V extends FieldValues>(form: UseFormReturn<V>, words: WordsOf, send: (values: V) => Promise<void>) =>
  form.handleSubmit(send, (problems) => {
    const problem = Object.values(problemsOf(form.getValues(), problems)).find((code) => code !== undefined)
    if (problem !== undefined) toast.error(words(problem))
  })

/** For a field that affects the validation of another: it validates the other field again if that field shows a problem. */
export const judgeAgain = <N extends string>(form: Judged<N>, other: N) => ({
  onChange: () => void (form.getFieldState(other).invalid && form.trigger(other)),
})
type Judged<N> = {
  readonly getFieldState: (name: N) => { readonly invalid: boolean }
  readonly trigger: (name: N) => Promise<boolean>
}

/** Shows the server's messages beside their fields. An error at `root` marks a call without an answer, until the next submit. */
export function showRefusedFields<V extends FieldValues>(form: UseFormReturn<V>, error: unknown): void {
  if (!(error instanceof ApiError)) return
  // The call had no answer (web/src/app/api.ts).
  if (error.status === 504) form.setError('root', {})
  const known = new Set(Object.keys(form.getValues()))
  for (const [path, message] of Object.entries(error.fields)) {
    const field = path.split('.').at(-1) ?? path
    if (known.has(field)) form.setError(field as Path<V>, { message })
  }
}
