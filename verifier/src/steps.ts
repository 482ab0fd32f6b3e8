/** The steps of a verification, what each can say, and what all of them together mean. */
import { MalformedError } from './bytes.ts'
import { UnavailableError } from './sources.ts'

export const STEPS = [
  'files',
  'log-signature',
  'log-consistency',
  'log-order',
  'log-inclusion',
  'entries-root',
  'sealed-in-time',
  'beacon-round',
  'beacon-signature',
  'seed',
  'winners',
  'split',
  'books-balance',
  'carry-over',
  'liabilities-total',
  'receipt',
] as const
export type StepName = (typeof STEPS)[number]

/** `none`: there is nothing that this step could check. */
export type StepState = 'pass' | 'fail' | 'weak' | 'incomplete' | 'none'
export type Outcome = {
  readonly step: StepName
  readonly state: StepState
  /** In plain English. */
  readonly words: string
}
export type Verdict = 'PASS' | 'FAIL' | 'WEAK' | 'INCOMPLETE'

export const EXIT_CODES = { PASS: 0, FAIL: 2, WEAK: 3, INCOMPLETE: 4 } as const satisfies Record<Verdict, number>

export function verdictOf(outcomes: readonly Outcome[]): Verdict {
  const has = (state: StepState): boolean => outcomes.some((outcome) => outcome.state === state)
  if (has('fail')) return 'FAIL'
  if (has('incomplete')) return 'INCOMPLETE'
  return has('weak') ? 'WEAK' : 'PASS'
}

/** Ends a step with anything but a pass. */
export class Finding extends Error {
  readonly state: StepState
  constructor(state: StepState, words: string) {
    super(words)
    this.state = state
  }
}
export const fail = (words: string): never => {
  throw new Finding('fail', words)
}
export const weak = (words: string): never => {
  throw new Finding('weak', words)
}
export const incomplete = (words: string): never => {
  throw new Finding('incomplete', words)
}
export const notApplicable = (words: string): never => {
  throw new Finding('none', words)
}

/** What `files` has to say: it gathers what is missing and what has not its form, wherever that is noticed. */
export type FileReport = { readonly missing: (what: string) => void; readonly malformed: (what: string) => void }

/** Runs a step. Bytes without form are the fault of `files`; the step itself could not be taken. */
export async function take(step: StepName, files: FileReport, check: () => string | Promise<string>): Promise<Outcome> {
  try {
    return { step, state: 'pass', words: await check() }
  } catch (error) {
    if (error instanceof Finding) return { step, state: error.state, words: error.message }
    if (error instanceof MalformedError) {
      files.malformed(error.message)
      return { step, state: 'incomplete', words: `could not be checked: ${error.message}` }
    }
    if (!(error instanceof UnavailableError)) throw error
    files.missing(error.message)
    return { step, state: 'incomplete', words: `could not be checked: ${error.message}` }
  }
}

/** A value that an earlier look at the files may not have found. */
export function need<T>(value: T | undefined, what: string): T {
  return value ?? incomplete(`${what} is missing`)
}
