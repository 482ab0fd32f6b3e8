/**
 * Plurals in the texts of core and server, as ICU's message format writes them, which translators' tools know:
 * `{rounds, plural, one {# round} other {# rounds}}`.
 * - Each language writes the forms that it has (CLDR); `other` is always there. `#` is the number as it is written.
 */
import { type Language, SPEECH } from './language.ts'

const PLURAL = /\{(\w+), plural, ((?:\w+ \{(?:[^{}]|\{\w+\})*\} ?)+)\}/g
const FORM = /(\w+) \{((?:[^{}]|\{\w+\})*)\}/g

/** The text with the form of each plural that fits its value; other placeholders stay. A value is a whole number as it is written. */
export const inPlural = (text: string, values: Readonly<Record<string, string | undefined>>, language: Language): string =>
  text.replace(PLURAL, (_whole, name: string, forms: string) => {
    const words = new Map([...forms.matchAll(FORM)].map(([, form = '', said = '']) => [form, said]))
    const form = new Intl.PluralRules(SPEECH[language].locale).select(Number(values[name]?.replace(/\D/g, '')))
    return (words.get(form) ?? words.get('other') ?? '').replaceAll('#', `{${name}}`)
  })
