/**
 * The outcome of a business operation: accepted with a value, or refused with a code of a closed union.
 * - Refusals are values. Faults, such as a lost connection or a bug, are thrown.
 */
type Accepted<T> = { readonly ok: true; readonly value: T }
type Refused<C extends string> = { readonly ok: false; readonly code: C }
export type Outcome<T, C extends string> = Accepted<T> | Refused<C>

export const accepted = <T>(value: T): Accepted<T> => ({ ok: true, value })
export const refused = <const C extends string>(code: C): Refused<C> => ({ ok: false, code })
