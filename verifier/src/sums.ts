/** Sums of the amounts in books. */
import { fail } from './steps.ts'

/** Adds exactly; fails where a total exceeds 2^53 − 1. */
export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => (Number.isSafeInteger(total + value) ? total + value : fail('amounts beyond 2^53')), 0)

type Flow = { readonly kind: string; readonly paise: number }
export const flowed = (flows: readonly Flow[], kind: string): number =>
  sum(flows.filter((flow) => flow.kind === kind).map(({ paise }) => paise))
