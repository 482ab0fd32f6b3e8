/**
 * The bank of an IFSC by a kept list (ops/ifsc-banks.ts), and whether a typed bank name fits it.
 * - The list is as old as its day: an unknown IFSC, or a name that does not fit, is noticed and never refused.
 * - The module has the list, so it is loaded at the first four letters.
 */
import list from './ifsc-banks.json'

const banks = new Map(Object.entries(list.banks))
const lent = new Map(Object.entries(list.lent))
const LETTERS = 4

export const listDay: string = list.day

/** The bank of a whole or half-typed IFSC. A code that a bank lends to another one is the other one's. */
export function bankOfIfsc(code: string): string | undefined {
  for (let length = code.length; length >= LETTERS; length--) {
    const other = lent.get(code.slice(0, length))
    if (other !== undefined) return banks.get(other) ?? other
  }
  return banks.get(code.slice(0, LETTERS))
}

/** Words that many banks have in their name. */
const COMMON = new Set(['bank', 'of', 'the', 'and', 'ltd', 'limited', 'co', 'op', 'operative', 'cooperative', 'sahakari', 'urban'])
const wordsOf = (name: string): string[] => name.toLowerCase().match(/[a-z]+/g) ?? []
const plain = (name: string): string =>
  wordsOf(name)
    .filter((word) => !['the', 'ltd', 'limited'].includes(word))
    .join(' ')
const names = new Set([...banks.values()].map(plain))

/** A word that is still being typed, or written longer than the list has it. */
const isLike = (typed: string, word: string): boolean => word.startsWith(typed) || (word.length >= LETTERS && typed.startsWith(word))

/** Short names: `sbi` and `sboi` of State Bank of India, and the first letters of the IFSC. */
function shortNames(code: string, bank: string): string[] {
  const words = wordsOf(bank)
  const initials = (some: readonly string[]): string => some.map((word) => word.charAt(0)).join('')
  return [initials(words), initials(words.filter((word) => word !== 'of' && word !== 'and')), code.slice(0, LETTERS).toLowerCase()]
}

/** Whether a typed name can be the bank's. A name in another script, or without a word of its own, is not judged. */
export function bankFits(code: string, bank: string, typed: string): boolean {
  if (/[^\p{ASCII}]/u.test(typed)) return true
  if (plain(typed) === plain(bank)) return true
  if (names.has(plain(typed))) return false
  const own = wordsOf(typed).filter((word) => !COMMON.has(word))
  const theirs = [...wordsOf(bank).filter((word) => !COMMON.has(word)), ...shortNames(code, bank)]
  return own.length === 0 || own.some((word) => theirs.some((one) => isLike(word, one)))
}
