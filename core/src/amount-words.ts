/** Writes amounts in words for receipts, with lakhs and crores, and with paise if there are any. Total over languages. */
import type { Language } from './language.ts'
import type { Paise } from './money.ts'
import { texts } from './texts.ts'

/** All numbers below a hundred, because many languages have a separate word for each. */
const BELOW_100 = texts(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty twenty-one twenty-two twenty-three twenty-four twenty-five twenty-six twenty-seven twenty-eight twenty-nine thirty thirty-one thirty-two thirty-three thirty-four thirty-five thirty-six thirty-seven thirty-eight thirty-nine forty forty-one forty-two forty-three forty-four forty-five forty-six forty-seven forty-eight forty-nine fifty fifty-one fifty-two fifty-three fifty-four fifty-five fifty-six fifty-seven fifty-eight fifty-nine sixty sixty-one sixty-two sixty-three sixty-four sixty-five sixty-six sixty-seven sixty-eight sixty-nine seventy seventy-one seventy-two seventy-three seventy-four seventy-five seventy-six seventy-seven seventy-eight seventy-nine eighty eighty-one eighty-two eighty-three eighty-four eighty-five eighty-six eighty-seven eighty-eight eighty-nine ninety ninety-one ninety-two ninety-three ninety-four ninety-five ninety-six ninety-seven ninety-eight ninety-nine',
)
const SCALES = [
  { size: 10_000_000n, name: texts('crore') },
  { size: 100_000n, name: texts('lakh') },
  { size: 1000n, name: texts('thousand') },
  { size: 100n, name: texts('hundred') },
] as const
const [RUPEE, RUPEES, PAISA, PAISE] = [texts('rupee'), texts('rupees'), texts('paisa'), texts('paise')]
const ONE_UNIT = texts('{amount} only')
const BOTH_UNITS = texts('{rupees} and {paise} only')

/** `one lakh twenty-three thousand four hundred fifty-six`. */
function wordsOf(count: bigint, language: Language): string {
  const scale = SCALES.find(({ size }) => count >= size)
  if (scale === undefined) return BELOW_100[language].split(' ')[Number(count)] ?? ''
  const rest = count % scale.size
  const first = `${wordsOf(count / scale.size, language)} ${scale.name[language]}`
  return rest === 0n ? first : `${first} ${wordsOf(rest, language)}`
}

/** `One rupee and thirty paise only`. */
export function amountInWords(amount: Paise, language: Language): string {
  const [whole, part] = [amount / 100n, amount % 100n]
  const rupees = `${wordsOf(whole, language)} ${(whole === 1n ? RUPEE : RUPEES)[language]}`
  const paise = `${wordsOf(part, language)} ${(part === 1n ? PAISA : PAISE)[language]}`
  const said =
    whole > 0n && part > 0n
      ? BOTH_UNITS[language].replace('{rupees}', rupees).replace('{paise}', paise)
      : ONE_UNIT[language].replace('{amount}', part > 0n ? paise : rupees)
  return said.charAt(0).toUpperCase() + said.slice(1)
}
