/**
 * Reads UPI IDs such as `ravi.kumar@okbank`, and masks them. Without letter case: banks ignore it.
 * - A name after @ with a dot is a mail address, or an account or Aadhaar number written as a UPI ID. None of them is read.
 */
import { plainTyped } from './typed.ts'

const UPI_ID_MAX = 50
const ALONE = /^[a-z0-9][a-z0-9._-]*@[a-z][a-z0-9]+$/
const IN_LINE = /(?<![a-z0-9._@-])[a-z0-9][a-z0-9._-]*@[a-z][a-z0-9]+(?![a-z0-9@_-]|\.[a-z0-9])/g

/** A UPI ID in lower case: alone, or the only one in a pasted line or payment link. */
export function readUpiId(text: string): string | undefined {
  const bare = plainTyped(text).normalize('NFKC').toLowerCase()
  const joined = bare.replace(/ ?@ ?/g, '@')
  const found = ALONE.test(joined) ? [joined] : [...new Set(bare.replaceAll('%40', '@').match(IN_LINE))]
  const [upiId] = found
  return found.length === 1 && upiId !== undefined && upiId.length <= UPI_ID_MAX ? upiId : undefined
}

/**
 * `ravi.kumar@okbank` is shown as `ra…@okbank`: two letters, and never more than half of the name.
 * - Members choose their UPI IDs, so another one may be shown alike. Nothing is decided by the mask: a new one is told by the whole ID.
 */
export function maskUpiId(upiId: string): string | undefined {
  const [, name = '', bank] = /^([\w.-]+)@([A-Za-z0-9.]{1,40})$/.exec(upiId) ?? []
  return bank === undefined ? undefined : `${name.slice(0, Math.min(2, Math.floor(name.length / 2)))}…@${bank}`
}
