/**
 * Isolates what people wrote in every sentence of a catalogue.
 * - The one place: a screen passes a name, title or reason as it is.
 */
import type { I18n, MessageDescriptor, MessageOptions } from '@lingui/core'
import { isolated } from '@roz/core/isolated.ts'

type Values = Record<string, unknown>
const isolatedIn = (values: Values = {}): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? isolated(value) : value]))

export function isolating(i18n: I18n): I18n {
  const translate = i18n._.bind(i18n)
  const sentence = (id: string | MessageDescriptor, values?: Values, options?: MessageOptions): string =>
    typeof id === 'string' ? translate(id, isolatedIn(values), options) : translate({ ...id, values: isolatedIn(id.values) })
  i18n._ = sentence
  i18n.t = sentence
  return i18n
}
