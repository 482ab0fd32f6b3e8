/**
 * A likely typing error in the domain of a mail address. It is only ever offered as a question: the address may be right.
 */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  'gmail.com': [
    'gmial.com',
    'gamil.com',
    'gmai.com',
    'gmal.com',
    'gmil.com',
    'gnail.com',
    'gmaill.com',
    'gmali.com',
    'gmail.co',
    'gmail.in',
    'gmail.cm',
    'gmail.om',
    'gmail.comm',
  ],
  'yahoo.com': ['yaho.com', 'yahooo.com', 'yhoo.com', 'yahoo.cm', 'yahoo.om'],
  'yahoo.co.in': ['yaho.co.in', 'yahoo.co.n', 'yahoo.coin'],
  'hotmail.com': ['hotmial.com', 'hotmal.com', 'hotmai.com', 'hotmail.co', 'hotmail.cm'],
  'outlook.com': ['outlok.com', 'outloook.com', 'outlook.co', 'outlook.cm'],
  'rediffmail.com': ['redifmail.com', 'rediffmai.com', 'rediffmail.co', 'rediff.mail.com'],
  'icloud.com': ['iclod.com', 'icloud.co', 'icoud.com'],
}
const RIGHT: ReadonlyMap<string, string> = new Map(Object.entries(MEANT).flatMap(([right, wrong]) => wrong.map((one) => [one, right])))

/** The address that was probably meant; undefined where nothing looks wrong. */
export function meantAddress(address: string): string | undefined {
  const given = address.trim()
  const at = given.lastIndexOf('@')
  if (at < 1) return undefined
  const domain = given.slice(at + 1).toLowerCase()
  // No ending `.con` exists (https://data.iana.org/TLD/tlds-alpha-by-domain.txt).
  const ending = domain.replace(/\.con$/, '.com')
  const meant = RIGHT.get(ending) ?? ending
  return meant === domain ? undefined : given.slice(0, at + 1) + meant
}
