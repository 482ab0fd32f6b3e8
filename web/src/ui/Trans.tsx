/**
 * Lingui's `Trans`, which shows each value as it was written.
 * - Lingui inserts values first and parses tags afterwards, so it would treat `<b>` in a name as its own tag and drop it.
 * - The macro imports this component (web/build/catalogues.ts).
 */
import { Trans as LinguiTrans, type TransProps } from '@lingui/react'

/** A backslash too: Lingui decodes `\x41`. */
const HAS_SIGNS = /[<\\]/
const asWritten = (value: unknown): unknown => (typeof value === 'string' && HAS_SIGNS.test(value) ? <>{value}</> : value)

export function Trans({ values = {}, ...props }: TransProps) {
  return <LinguiTrans {...props} values={Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asWritten(value)]))} />
}
