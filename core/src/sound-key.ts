/**
 * One spelling for a word in Latin letters or in Devanagari, roughly as it sounds: `Meera`, `Mira` and `मीरा` are `mira`.
 * - A short a is written by some and not by others (`Kamla`, `कमला`): only the first, the last and one before a vowel count.
 * - Aspirates, long vowels, doubled letters and the two s of Devanagari are as their plain ones.
 * - Without a key: a word with letters of another script, or whose key has fewer than three letters.
 */
const CONSONANTS = Object.fromEntries(
  'क:k ख:k ग:g घ:g ङ:n च:c छ:c ज:j झ:j ञ:n ट:t ठ:t ड:d ढ:d ण:n त:t थ:t द:d ध:d न:n प:p फ:f ब:b भ:b म:m य:y र:r ल:l ळ:l व:v श:s ष:s स:s ह:h'
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
)
const VOWELS = Object.fromEntries(
  'अ:a आ:a ऍ:e ऑ:o इ:i ई:i उ:u ऊ:u ऋ:ri ए:e ऐ:e ओ:o औ:o ा:a ि:i ी:i ु:u ू:u ृ:ri े:e ै:e ो:o ौ:o ॅ:e ॉ:o ं:n ँ:n ः:'
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
)
const VIRAMA = '्'

/** Devanagari in Latin letters. A last consonant is without its a, unless it is joined to the one before: `कमल`, but `कृष्ण`. */
function romanized(word: string): string | undefined {
  let spelled = ''
  const signs = Array.from(word.replace(/ं(?=[प-भ])/g, `म${VIRAMA}`))
  for (const [at, sign] of signs.entries()) {
    const letter = CONSONANTS[sign] ?? VOWELS[sign] ?? (sign === VIRAMA ? '' : undefined)
    if (letter === undefined) return undefined
    spelled += letter
    // This a keeps two of one consonant apart: in `शशि`, but not in `अम्मा`.
    if (CONSONANTS[sign] !== undefined && CONSONANTS[signs[at + 1] ?? ''] !== undefined) spelled += 'a'
    const isLast = at === signs.length - 1
    if (isLast && at > 0 && CONSONANTS[sign] !== undefined && signs[at - 1] === VIRAMA) spelled += 'a'
  }
  return spelled
}

/** English spellings of Indian words. */
const spelledPlainly = (word: string): string =>
  word
    .replaceAll('x', 'ks')
    .replaceAll('ph', 'f')
    .replace(/c(?!h)/g, 'k')
    .replace(/([bcdgjklprst])h+/g, '$1')
    .replace(/q/g, 'k')
    .replace(/w/g, 'v')
    .replace(/z/g, 'j')
    .replace(/ee/g, 'i')
    .replace(/oo|ou/g, 'u')
    .replace(/a[iy](?=[^aeiouy])/g, 'e')
    .replace(/au/g, 'o')
    .replace(/john/g, 'jon')
    .replace(/(?<=[^aeiou])y$/, 'i')

/** `word` is in lower case and without nukta. */
export function soundKey(word: string): { readonly key: string; readonly isLatin: boolean } | undefined {
  const isLatin = /^[a-z]+$/.test(word)
  const spelled = isLatin ? spelledPlainly(word) : romanized(word)
  if (spelled === undefined) return undefined
  const key = spelled.replace(/(.)\1+/g, '$1').replace(/(?<=.)a(?=[^aeiou])/g, '')
  return key.length < 3 ? undefined : { key, isLatin }
}
