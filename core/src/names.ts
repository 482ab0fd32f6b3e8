/** The name of a member in public: first name and initial, or "A member". */
import type { Language } from './language.ts'
import { texts } from './texts.ts'

export type PublicName = 'initial' | 'anonymous'
const ANONYMOUS = texts('A member')

/** `Asha Verma` → `Asha V.`; one word stays as it is. */
export function initialName(name: string): string {
  const words = name.trim().split(/\s+/u)
  const first = words[0] ?? ''
  const last = words.length > 1 ? words.at(-1) : undefined
  // By grapheme, so a Devanagari initial keeps its vowel sign.
  const initial = last === undefined ? '' : ` ${[...new Intl.Segmenter('und').segment(last)][0]?.segment.toUpperCase() ?? ''}.`
  return first + initial
}

/** The name that pages show for a member: the member's current choice, or `A member` after the account is erased. */
export function publicNameOf(
  member: { readonly name: string; readonly publicName: PublicName; readonly isDeleted: boolean },
  language: Language,
): string {
  return member.publicName === 'anonymous' || member.isDeleted || member.name.trim() === '' ? ANONYMOUS[language] : initialName(member.name)
}
