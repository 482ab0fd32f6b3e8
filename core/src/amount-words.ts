/** Amounts of rupees in words, as receipts have them: lakhs and crores, paise where there are some. Total over languages. */
import type { Language } from './language.ts'
import type { Paise } from './money.ts'

const EN_SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const EN_TENS = 'ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
/** Each number below a hundred has its own word. */
const HI =
  'शून्य एक दो तीन चार पाँच छह सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस बीस इक्कीस बाईस तेईस चौबीस पच्चीस छब्बीस सत्ताईस अट्ठाईस उनतीस तीस इकतीस बत्तीस तैंतीस चौंतीस पैंतीस छत्तीस सैंतीस अड़तीस उनतालीस चालीस इकतालीस बयालीस तैंतालीस चवालीस पैंतालीस छियालीस सैंतालीस अड़तालीस उनचास पचास इक्यावन बावन तिरपन चौवन पचपन छप्पन सत्तावन अट्ठावन उनसठ साठ इकसठ बासठ तिरसठ चौंसठ पैंसठ छियासठ सड़सठ अड़सठ उनहत्तर सत्तर इकहत्तर बहत्तर तिहत्तर चौहत्तर पचहत्तर छिहत्तर सतहत्तर अठहत्तर उन्यासी अस्सी इक्यासी बयासी तिरासी चौरासी पचासी छियासी सत्तासी अट्ठासी नवासी नब्बे इक्यानवे बानवे तिरानवे चौरानवे पचानवे छियानवे सत्तानवे अट्ठानवे निन्यानवे'.split(
    ' ',
  )

const SCALES = [
  { size: 10_000_000n, en: 'crore', hi: 'करोड़' },
  { size: 100_000n, en: 'lakh', hi: 'लाख' },
  { size: 1000n, en: 'thousand', hi: 'हज़ार' },
  { size: 100n, en: 'hundred', hi: 'सौ' },
] as const

function below100(count: bigint, language: Language): string {
  const number = Number(count)
  if (language === 'hi') return HI[number] ?? ''
  if (number < 20) return EN_SMALL[number] ?? ''
  const [ten, one] = [EN_TENS[Math.trunc(number / 10) - 1] ?? '', number % 10]
  return one === 0 ? ten : `${ten}-${EN_SMALL[one] ?? ''}`
}

/** `one lakh twenty-three thousand four hundred fifty-six`. */
function wordsOf(count: bigint, language: Language): string {
  const scale = SCALES.find(({ size }) => count >= size)
  if (scale === undefined) return below100(count, language)
  const rest = count % scale.size
  const first = `${wordsOf(count / scale.size, language)} ${scale[language]}`
  return rest === 0n ? first : `${first} ${wordsOf(rest, language)}`
}

/** `One rupee and thirty paise only`, `एक रुपया तीस पैसे मात्र`. */
export function amountInWords(amount: Paise, language: Language): string {
  const [rupees, paise] = [amount / 100n, amount % 100n]
  if (language === 'hi') {
    const whole = rupees === 0n && paise > 0n ? '' : `${wordsOf(rupees, 'hi')} ${rupees === 1n ? 'रुपया' : 'रुपये'}`
    const part = paise === 0n ? '' : `${wordsOf(paise, 'hi')} ${paise === 1n ? 'पैसा' : 'पैसे'}`
    return [whole, part, 'मात्र'].filter((words) => words !== '').join(' ')
  }
  const whole = rupees === 0n && paise > 0n ? '' : `${wordsOf(rupees, 'en')} ${rupees === 1n ? 'rupee' : 'rupees'}`
  const part = paise === 0n ? '' : `${wordsOf(paise, 'en')} ${paise === 1n ? 'paisa' : 'paise'}`
  const said = `${[whole, part].filter((words) => words !== '').join(' and ')} only`
  return said.charAt(0).toUpperCase() + said.slice(1)
}
