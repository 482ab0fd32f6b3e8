/**
 * A business answer: accepted with a value, or refused with a code from a closed union.
 * Refusals are values; faults (a lost connection, a bug) are thrown. House rule 3.
 */
export type Accepted<T> = { readonly ok: true; readonly value: T }
export type Refused<C extends string> = { readonly ok: false; readonly code: C }
export type Outcome<T, C extends string> = Accepted<T> | Refused<C>

export const accepted = <T>(value: T): Accepted<T> => ({ ok: true, value })
export const refused = <const C extends string>(code: C): Refused<C> => ({ ok: false, code })
