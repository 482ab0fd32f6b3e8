/** The steps of a verification, the outcomes of a step, and the verdict over all steps. */
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
  'solvency',
  'receipt',
] as const
export type StepName = (typeof STEPS)[number]
/** `order-of-help` is checked only for a caller who gives an order. */
export type CheckName = StepName | 'order-of-help'

/** `none`: the day has nothing for this step to check. */
export type StepState = 'pass' | 'fail' | 'weak' | 'incomplete' | 'none'
/** All reasons that make a step weak. */
export const WEAKNESSES = {
  'sealed-in-time': ['local-list', 'unseen', 'too-few'],
  'beacon-round': ['no-number'],
  'beacon-signature': ['known-number', 'other-source'],
  split: ['high-tax'],
  solvency: ['uncovered', 'unproven', 'no-loss'],
} as const satisfies Partial<Record<StepName, readonly string[]>>
export type Weakness = (typeof WEAKNESSES)[keyof typeof WEAKNESSES][number]
/** The values inside the words, for texts in another language. */
export type Values = Readonly<Record<string, string>>
export type Said = string | { readonly words: string; readonly values: Values }
export type Outcome = {
  readonly step: CheckName
  readonly state: StepState
  /** In plain English. */
  readonly words: string
  /** Set if the state is `weak`. */
  readonly weakness?: Weakness
  readonly values?: Values
}
export type Verdict = 'PASS' | 'FAIL' | 'WEAK' | 'INCOMPLETE'

export const EXIT_CODES = { PASS: 0, FAIL: 2, WEAK: 3, INCOMPLETE: 4 } as const satisfies Record<Verdict, number>

export function verdictOf(outcomes: readonly Outcome[]): Verdict {
  const has = (state: StepState): boolean => outcomes.some((outcome) => outcome.state === state)
  if (has('fail')) return 'FAIL'
  if (has('incomplete')) return 'INCOMPLETE'
  return has('weak') ? 'WEAK' : 'PASS'
}

/** Ends a step with any state except `pass`. */
export class Finding extends Error {
  readonly state: StepState
  readonly why: Pick<Outcome, 'weakness' | 'values'>
  constructor(state: StepState, words: string, why: Finding['why'] = {}) {
    super(words)
    this.state = state
    this.why = why
  }
}
export const fail = (words: string): never => {
  throw new Finding('fail', words)
}
export const weak = (weakness: Weakness, words: string, values: Values = {}): never => {
  throw new Finding('weak', words, { weakness, values })
}
export const incomplete = (words: string): never => {
  throw new Finding('incomplete', words)
}
export const notApplicable = (words: string): never => {
  throw new Finding('none', words)
}

/** Collects missing and malformed files from all steps, for the step `files`. */
export type FileReport = { readonly missing: (what: string) => void; readonly malformed: (what: string) => void }

/** Runs a step. A malformed or unavailable file is reported to `files`, and the step is incomplete. */
export async function take(step: CheckName, files: FileReport, check: () => Said | Promise<Said>): Promise<Outcome> {
  try {
    const said = await check()
    return { step, state: 'pass', ...(typeof said === 'string' ? { words: said } : said) }
  } catch (error) {
    if (error instanceof Finding) return { step, state: error.state, words: error.message, ...error.why }
    if (error instanceof MalformedError) {
      files.malformed(error.message)
      return { step, state: 'incomplete', words: `could not be checked: ${error.message}` }
    }
    if (!(error instanceof UnavailableError)) throw error
    files.missing(error.message)
    return { step, state: 'incomplete', words: `could not be checked: ${error.message}` }
  }
}

/** Returns the value, or ends the step as incomplete if it is missing. */
export function need<T>(value: T | undefined, what: string): T {
  return value ?? incomplete(`${what} is missing`)
}
