/** The problems of a dialog's fields: those that its check finds, or those that a refusal names. */
import { useState } from 'react'
import type * as z from 'zod/mini'
import { ApiError } from '../../app/api.ts'

/** A field code, or the server's finished words, by field (`portalError` turns both into text). */
export type Problems = Readonly<Record<string, string | undefined>>

/** The problem that a rule of core finds in a typed value. */
export const problemOf = (rule: z.ZodMiniType, value: string): string | undefined => rule.safeParse(value).error?.issues[0]?.message

export function useProblems() {
  const [problems, setProblems] = useState<Problems>({})
  return {
    problems,
    /** Shows what a check found; true if it found nothing. */
    judge: (found: Problems): boolean => {
      setProblems(found)
      return Object.values(found).every((problem) => problem === undefined)
    },
    /** Shows a refusal's words beside their fields, and passes it on. */
    refused: (error: unknown): never => {
      if (error instanceof ApiError) setProblems(error.fields)
      throw error
    },
  }
}
