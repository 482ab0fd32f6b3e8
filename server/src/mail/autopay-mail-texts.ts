/** The texts of the mails about AutoPay. Each has the support address in its footer. */
import { texts } from '@roz/core/texts.ts'
import type { MailTemplate, MailTexts } from './mail-payload.ts'
import { HELLO } from './staff-mail-texts.ts'

type AutopayMail = Extract<MailTemplate, `autopay_${string}`>

const SEE_AUTOPAY = { label: texts('See AutoPay in your wallet'), path: '/wallet' }
const STOP_ANY_TIME = texts('You can pause or stop AutoPay at any time, in your wallet or in your UPI app.')

export const AUTOPAY_MAILS = {
  autopay_on: {
    subject: texts('AutoPay is on'),
    paragraphs: [
      HELLO,
      texts('AutoPay is set up. Each time your wallet runs low it adds {amount}, at most once in 27 days.'),
      texts('Your bank tells you a day before each payment. Auto Participate is on, so each day takes ₹1.'),
    ],
    action: SEE_AUTOPAY,
    after: [STOP_ANY_TIME],
  },
  autopay_raised: {
    subject: texts('AutoPay adds {amount} on {day}'),
    paragraphs: [
      HELLO,
      texts('Your wallet is low. AutoPay adds {amount} on {day}.'),
      texts('To prevent it, pause or stop AutoPay before that day.'),
    ],
    action: SEE_AUTOPAY,
  },
  autopay_added: {
    subject: texts('AutoPay added {amount} to your wallet'),
    paragraphs: [HELLO, texts('AutoPay added {amount} to your wallet. It has {balance} now.')],
    action: SEE_AUTOPAY,
    after: [texts('If you did not want this payment, write to us. The unused part can be refunded within 7 days.'), STOP_ANY_TIME],
  },
  autopay_failed: {
    subject: texts('AutoPay did not go through'),
    paragraphs: [
      HELLO,
      texts('Your bank did not pay {amount} on {day}, so nothing was added to your wallet.'),
      texts('AutoPay tries again from {next} on, if your wallet is still low.'),
    ],
    action: SEE_AUTOPAY,
  },
  autopay_resting: {
    subject: texts('AutoPay needs you'),
    paragraphs: [
      HELLO,
      texts('Your bank refused three payments, so AutoPay tries no more.'),
      texts('Check your account, then press “Try again” in your wallet.'),
    ],
    action: SEE_AUTOPAY,
  },
  autopay_payer_paused: {
    subject: texts('AutoPay is paused in your UPI app'),
    paragraphs: [HELLO, texts('AutoPay is paused in your UPI app, so nothing is added to your wallet. You can resume it there.')],
    action: SEE_AUTOPAY,
  },
  autopay_payer_stopped: {
    subject: texts('AutoPay is stopped in your UPI app'),
    paragraphs: [
      HELLO,
      texts('AutoPay was stopped in your UPI app, so nothing is added to your wallet. You can set it up again in your wallet.'),
    ],
    action: SEE_AUTOPAY,
  },
  autopay_stopped: {
    subject: texts('AutoPay has stopped'),
    paragraphs: [HELLO, texts('AutoPay has stopped. A payment already at your bank may still arrive in your wallet.')],
    action: SEE_AUTOPAY,
  },
  autopay_stopped_by_us: {
    subject: texts('We have stopped AutoPay'),
    paragraphs: [
      HELLO,
      texts('Our team has stopped AutoPay, so nothing more is added to your wallet. A payment already at your bank may still arrive.'),
      texts('If this is wrong, write to us.'),
    ],
    action: SEE_AUTOPAY,
  },
  autopay_expiring: {
    subject: texts('AutoPay ends on {day}'),
    paragraphs: [HELLO, texts('Your AutoPay ends on {day}. After that day you can set it up again in your wallet.')],
    action: SEE_AUTOPAY,
  },
} as const satisfies Record<AutopayMail, MailTexts>
