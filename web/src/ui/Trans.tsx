/**
 * Lingui's `Trans` that shows each value as it was written. Lingui puts values into a sentence first and
 * reads tags afterwards: it would take the `<b>` of a name for a tag of its own and drop it.
 * The macro imports this component (lingui.config.ts).
 */
import { Trans as LinguiTrans, type TransProps } from '@lingui/react'

/** A backslash too: Lingui decodes `\x41`. */
const HAS_SIGNS = /[<\\]/
const asWritten = (value: unknown): unknown => (typeof value === 'string' && HAS_SIGNS.test(value) ? <>{value}</> : value)

export function Trans({ values = {}, ...props }: TransProps) {
  return <LinguiTrans {...props} values={Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asWritten(value)]))} />
}
