/**
 * Notices in the app: every kind with its words. The server stores kind and data, never text, so that
 * a notice speaks the reader's language. `{name}` in a text stands for a value of the notice's data.
 */
import { type IstDay, parseDay } from './ist-day.ts'
import type { Language, Texts } from './language.ts'

type Notice = { readonly title: Texts; readonly body: Texts }
const notice = (title: readonly [en: string, hi: string], body: readonly [en: string, hi: string]): Notice => ({
  title: { en: title[0], hi: title[1] },
  body: { en: body[0], hi: body[1] },
})

export const NOTICES = {
  /** Read from the join rows; data: day. */
  auto_joined: notice(
    ["You're in", 'आप शामिल हैं'],
    ['Auto Participate joined you to the round of {day} for ₹1.', '“अपने-आप शामिल हों” ने आपको ₹1 में {day} के राउंड में शामिल किया।'],
  ),
  /** data: balance (₹2.50) */
  low_balance: notice(
    ['Your balance is low', 'आपका बैलेंस कम है'],
    ['Your wallet has {balance} left. Add money to keep joining each day.', 'आपके वॉलेट में {balance} बचे हैं। रोज़ शामिल होते रहने के लिए पैसे जोड़ें।'],
  ),
  /** data: day */
  auto_join_skipped: notice(
    ["You were not joined to today's round", 'आप आज के राउंड में शामिल नहीं हुए'],
    [
      'Your wallet had less than ₹1 on {day}. Auto Participate stays on: add money today and you are in.',
      '{day} को आपके वॉलेट में ₹1 से कम था। “अपने-आप शामिल हों” चालू है: आज पैसे जोड़ें, और आप शामिल हो जाएँगे।',
    ],
  ),
  /** data: year */
  yearly_maximum: notice(
    ['You have reached the yearly maximum', 'आप साल की अधिकतम सीमा तक पहुँच गए'],
    [
      'You have reached the yearly maximum of ₹365. Auto Participate goes on with the first day of next year.',
      'आप साल की अधिकतम सीमा ₹365 तक पहुँच चुके हैं। “अपने-आप शामिल हों” अगले साल के पहले दिन से फिर चलेगा।',
    ],
  ),
  /** data: amount, day */
  won: notice(
    ['You won!', 'आप जीत गए!'],
    ['You won {amount} in the round of {day}. It is in your wallet.', 'आपने {day} के राउंड में {amount} जीते। राशि आपके वॉलेट में है।'],
  ),
  /** data: amount, balance */
  topup_credited: notice(['Money added', 'पैसे जोड़े गए'], ['{amount} was added to your wallet.', '{amount} आपके वॉलेट में जोड़े गए।']),
  /** data: amount, account (last four digits) */
  withdrawal_requested: notice(
    ['Withdrawal requested', 'निकासी का अनुरोध मिला'],
    [
      'Your withdrawal of {amount} to the account ending in {account} is being processed. It takes 24 to 48 hours.',
      'आपके खाते (आखिरी अंक {account}) में {amount} की निकासी पर काम हो रहा है। इसमें 24 से 48 घंटे लगते हैं।',
    ],
  ),
  /** data: amount, account (last four digits) */
  withdrawal_paid: notice(
    ['Withdrawal paid', 'निकासी का भुगतान हुआ'],
    ['{amount} was sent to your account ending in {account}.', '{amount} आपके खाते (आखिरी अंक {account}) में भेजे गए।'],
  ),
  /** data: amount */
  withdrawal_returned: notice(
    ['Withdrawal returned', 'निकासी वापस आई'],
    [
      'Your withdrawal of {amount} did not go through. The money is back in your wallet.',
      '{amount} की निकासी नहीं हो पाई। राशि आपके वॉलेट में वापस है।',
    ],
  ),
  /** data: amount */
  refund_paid: notice(
    ['Refund sent', 'रिफ़ंड भेजा गया'],
    [
      '{amount} was sent back to where it came from. Your bank may take a few days.',
      '{amount} वहीं वापस भेजे गए जहाँ से आए थे। बैंक को कुछ दिन लग सकते हैं।',
    ],
  ),
  /** data: amount */
  refund_returned: notice(
    ['Refund returned', 'रिफ़ंड वापस आया'],
    [
      'Your refund of {amount} did not go through. The money is back in your wallet.',
      '{amount} का रिफ़ंड नहीं हो पाया। राशि आपके वॉलेट में वापस है।',
    ],
  ),
  /** data: amount */
  payment_assigned: notice(
    ['Payment credited', 'भुगतान जमा हुआ'],
    ['A payment of {amount} was checked and is now in your wallet.', '{amount} के भुगतान की जाँच हो गई, और वह अब आपके वॉलेट में है।'],
  ),
  /** data: amount */
  payment_taken_back: notice(
    ['Payment taken back', 'भुगतान वापस लिया गया'],
    [
      'A payment of yours was disputed at the bank. {amount} of it was taken from your wallet until it is decided.',
      'आपके एक भुगतान पर बैंक में आपत्ति की गई। फ़ैसला होने तक आपके वॉलेट से {amount} लिए गए।',
    ],
  ),
  /** data: amount */
  payment_given_back: notice(
    ['Payment given back', 'भुगतान लौटाया गया'],
    [
      'The bank gave a disputed payment back. {amount} is in your wallet again.',
      'बैंक ने आपत्ति वाला भुगतान लौटा दिया। {amount} फिर आपके वॉलेट में हैं।',
    ],
  ),
} as const satisfies Record<string, Notice>

const DAY = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const
/** A day in words: `21 November 2026`, `21 नवंबर 2026`. */
export const dayText = (day: IstDay, language: Language): string =>
  new Intl.DateTimeFormat(language === 'hi' ? 'hi-IN' : 'en-IN', DAY).format(new Date(`${day}T00:00:00Z`))

export type NoticeKind = keyof typeof NOTICES
export type NoticeData = Readonly<Record<string, string>>

export const isNoticeKind = (kind: string): kind is NoticeKind => Object.hasOwn(NOTICES, kind)

/** Title and body of a notice in a language. */
export function noticeText(kind: NoticeKind, data: NoticeData, language: Language): { title: string; body: string } {
  const day = parseDay(data.day ?? '')
  const values: NoticeData = day === undefined ? data : { ...data, day: dayText(day, language) }
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? '')
  return { title: fill(NOTICES[kind].title[language]), body: fill(NOTICES[kind].body[language]) }
}
