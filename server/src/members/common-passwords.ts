/** The passwords that are tried first: the 10,000 most used ones of six characters or more, in any case of their letters. */
import { createRequire } from 'node:module'

const LIST = '@zxcvbn-ts/language-common/src/passwords.json'
const COUNT = 10_000
const LENGTH_MIN = 6

let common: ReadonlySet<string> | undefined

/** Read when it is first asked for: half a megabyte, the most used one first. */
function readList(): ReadonlySet<string> {
  const ranked = createRequire(import.meta.url)(LIST) as readonly string[]
  return new Set(ranked.filter((password) => password.length >= LENGTH_MIN).slice(0, COUNT))
}

export function isCommonPassword(password: string): boolean {
  common ??= readList()
  return common.has(password.normalize('NFC').toLowerCase())
}
