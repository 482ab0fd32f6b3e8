/**
 * Lists about persons, which the server shows only after a step-up.
 *
 * - One dialog (StepUpDialog.tsx) asks for all readers that wait. After the answer they read again: the place and the filters stay.
 * - Closing the dialog gives the refusal; a new attempt asks again.
 */
import { useSyncExternalStore } from 'react'
import { ApiError } from '../../app/api.ts'
import { deferred } from '../../app/deferred.ts'

export type Asked = { readonly answer: Promise<boolean>; readonly settle: (isConfirmed: boolean) => void }

let asked: Asked | undefined
const listeners = new Set<() => void>()
function change(next: Asked | undefined): void {
  asked = next
  for (const listener of listeners) listener()
}

/** Reads, and reads again once the step-up is given. */
export async function steppedUp<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'step_up_required' || !(await ask())) throw error
    return read()
  }
}

function ask(): Promise<boolean> {
  if (asked !== undefined) return asked.answer
  const { promise: answer, resolve } = deferred<boolean>()
  const mine: Asked = {
    answer,
    settle: (isConfirmed) => {
      if (asked === mine) change(undefined)
      resolve(isConfirmed)
    },
  }
  change(mine)
  return answer
}

/** Leaving the portal confirms nothing. */
export const dismiss = (): void => asked?.settle(false)

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
export const useAsked = (): Asked | undefined => useSyncExternalStore(subscribe, () => asked)
