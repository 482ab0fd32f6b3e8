/** Reads what people type into fields for amounts and bank accounts. It has its own file: only screens about money load it. */
import { decimalText, type Paise, paise } from './money.ts'
import { plainTyped } from './typed.ts'

const CURRENCY_BEFORE = /^(?:₹|₨|rs\.?|inr|re\.?|रु\.?|रू\.?|रुपये|रुपए)(?=[ \d])( ?)/iu
const CURRENCY_AFTER = / ?(?:\/[-–=]|₹|rs\.?|inr|rupees?\.?|रु\.?|रू\.?|रुपये|रुपए|रुपया)$/iu
const ONLY = / (?:only|मात्र)\.?$/iu
/** Blanks or commas group digits, by lakhs or by millions. Any other place of a comma may be a decimal comma. */
const WHOLE = /^(?:\d+|[1-9]\d?(?:,\d{2})*,\d{3}|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?: \d{2})* \d{3}|[1-9]\d{0,2}(?: \d{3})+)$/
const DIGITS_MAX = 10

/** The paise of a typed amount, zero included; undefined if the text is not surely one amount in rupees. */
export function readAmount(text: string): Paise | undefined {
  const bare = plainTyped(text).replaceAll('٫', '.').replaceAll('٬', ',').replace(ONLY, '').replace(CURRENCY_AFTER, '')
  const number = bare.replace(CURRENCY_BEFORE, '')
  // After a currency a leading point may belong to its abbreviation: `Rs .50`.
  const [, whole = '', cents = ''] = /^([\d, ]*)(?:\.(\d{0,2}))?$/.exec(number) ?? []
  if (whole === '' ? cents === '' || number !== bare : !WHOLE.test(whole)) return undefined
  const digits = whole.replace(/[, ]/g, '').replace(/^0+(?=\d)/, '')
  return digits.length > DIGITS_MAX ? undefined : paise(BigInt(`0${digits}${cents.padEnd(2, '0')}`))
}

const IFSC = /\b[A-Z]{4}0[A-Z0-9]{6}\b/g
const ACCOUNT_LABEL = /(?:\ba\/?c\b\.?|\bacc(?:oun)?t\b\.?|खाता)[ .:#-]*(?:(?:no|number|num|नंबर|नम्बर|संख्या)[ .:#-]*)?(?=\d)/giu

/** The digits of one account number. Nine digits or more are an account number, so two such numbers are in doubt. */
function oneAccount(run: string): string | undefined {
  const groups = run.split(/[ \-\u2010-\u2015]+/).filter((group) => group !== '')
  return groups.length > 1 && groups.some((group) => group.length >= 9) ? undefined : groups.join('')
}

/** The digits of an account number: alone, or after its label in a pasted line such as `A/c 1234 5678 9012 IFSC SBIN0001234`. */
export function readAccount(text: string): string | undefined {
  const bare = plainTyped(text)
  if (/^\d(?:[\d \-\u2010-\u2015]*\d)?$/.test(bare)) return oneAccount(bare)
  const line = bare.replace(/\n/g, ' ; ')
  const [label, another] = [...line.matchAll(ACCOUNT_LABEL)]
  if (label === undefined || another !== undefined) return undefined
  const run = /^\d[\d \-\u2010-\u2015]*(?![\p{L}\d])/u.exec(line.slice(label.index + label[0].length))?.[0]
  return run === undefined ? undefined : oneAccount(run)
}

/** An IFSC in upper case: alone, also in groups, or the only one in a pasted line. */
export function readIfsc(text: string): string | undefined {
  const bare = plainTyped(text).toUpperCase()
  const joined = bare.replace(/[ -]/g, '')
  if (/^[A-Z0-9]{1,11}$/.test(joined)) return joined
  const found = new Set(bare.match(IFSC))
  return found.size === 1 ? [...found][0] : undefined
}

/** How a field shows an amount that it has read: `20`, `1234.50`. */
export function shownAmount(text: string): string {
  const amount = readAmount(text)
  return amount === undefined ? text : decimalText(amount).replace(/\.00$/, '')
}
