/**
 * Finds personal data and secrets in logs: every value that the run used, verbatim, in any case, wherever it is in a line.
 * - A value of digits counts as a number of its own, not as a part of a longer number or of a hexadecimal id.
 */
const KEY_LENGTH = 8

type Secret = { readonly text: string; readonly what: string }
type Leak = { readonly what: string; readonly line: string }
export type Secrets = ReturnType<typeof createSecrets>

const IS_DIGITS = /^\d+$/
const IS_ID = /^[0-9a-f]+$/
const LETTER = /[0-9a-z]/
const SHOWN_MAX = 300

export function createSecrets() {
  const byKey = new Map<string, Secret[]>()
  let count = 0

  function add(value: string, what: string): void {
    const text = value.toLowerCase()
    if (text.length < KEY_LENGTH) throw new Error(`${what}: a value of less than ${KEY_LENGTH} letters is not looked for`)
    const key = text.slice(0, KEY_LENGTH)
    const known = byKey.get(key)
    if (known?.some((one) => one.text === text) === true) return
    count++
    if (known === undefined) byKey.set(key, [{ text, what }])
    else known.push({ text, what })
  }

  function foundAt(line: string, at: number): Secret | undefined {
    return byKey.get(line.slice(at, at + KEY_LENGTH))?.find(({ text }) => line.startsWith(text, at) && isWhole(line, at, text))
  }

  return {
    add,
    count: (): number => count,
    /** The lines that have one of the values, each with what it is. */
    find(log: string): Leak[] {
      const leaks: Leak[] = []
      for (const line of log.split('\n')) {
        const lower = line.toLowerCase()
        for (let at = 0; at + KEY_LENGTH <= lower.length; at++) {
          const secret = foundAt(lower, at)
          if (secret === undefined) continue
          leaks.push({ what: secret.what, line: line.slice(0, SHOWN_MAX) })
          break
        }
      }
      return leaks
    },
  }
}

/** The digits are all of the letters and digits around them, but for the code of the country; or those are no hexadecimal id. */
function isWhole(line: string, at: number, text: string): boolean {
  if (!IS_DIGITS.test(text)) return true
  let [from, to] = [at, at + text.length]
  while (LETTER.test(line.charAt(from - 1))) from--
  while (LETTER.test(line.charAt(to))) to++
  const around = line.slice(from, to)
  return !IS_ID.test(around) || around === text || around === `91${text}`
}
