/** How a person is named in public (product.md "Names in public"). */
export type PublicName = 'initial' | 'anonymous'
export const ANONYMOUS = { en: 'A member', hi: 'एक सदस्य' } as const

/** `Asha Verma` → `Asha V.`; one word stays as it is. */
export function initialName(name: string): string {
  const words = name.trim().split(/\s+/u)
  const first = words[0] ?? ''
  const last = words.length > 1 ? words.at(-1) : undefined
  // By grapheme, so that a Devanagari initial keeps its vowel sign.
  const initial = last === undefined ? '' : ` ${[...new Intl.Segmenter('und').segment(last)][0]?.segment.toUpperCase() ?? ''}.`
  return first + initial
}
