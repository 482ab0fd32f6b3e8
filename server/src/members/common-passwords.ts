/** Recognises common passwords: the 10,000 most used ones of at least six characters, in upper or lower case. */
import { createRequire } from 'node:module'

const LIST = '@zxcvbn-ts/language-common/src/passwords.json'
const COUNT = 10_000
const LENGTH_MIN = 6

let common: ReadonlySet<string> | undefined

/** Reads the package's list (500 kB, most used password first). It is loaded at the first check. */
function readList(): ReadonlySet<string> {
  const ranked = createRequire(import.meta.url)(LIST) as readonly string[]
  return new Set(ranked.filter((password) => password.length >= LENGTH_MIN).slice(0, COUNT))
}

export function isCommonPassword(password: string): boolean {
  common ??= readList()
  return common.has(password.normalize('NFC').toLowerCase())
}
