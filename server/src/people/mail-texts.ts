/**
 * The words of every mail, in every language. One map, total over templates and languages: a missing
 * text does not compile. Plain words as values; mail-layout.ts escapes them.
 */
import { parseDay } from '@roz/core/ist-day.ts'
import type { Language } from '@roz/core/language.ts'
import { dayText } from '@roz/core/notices.ts'
import type { MailWords } from './mail-layout.ts'
import type { MailData, MailTemplate } from './mails.ts'

/** What stands around a mail: the product's name and the absolute address of its one link. */
export type MailFrame = { readonly brandName: string; readonly link: (path: string) => string; readonly token: string }
type Write<T extends MailTemplate> = (data: MailData[T], frame: MailFrame) => MailWords

const dayIn = (text: string, language: Language): string => {
  const day = parseDay(text)
  return day === undefined ? text : dayText(day, language)
}
const verifyLink = (frame: MailFrame): string => frame.link(`/verify-email?token=${encodeURIComponent(frame.token)}`)
const resetLink = (frame: MailFrame): string => frame.link(`/reset-password?token=${encodeURIComponent(frame.token)}`)

export const MAIL_TEXTS: { readonly [T in MailTemplate]: Readonly<Record<Language, Write<T>>> } = {
  verify: {
    en: (data, frame) => ({
      subject: `Verify your email for ${frame.brandName}`,
      paragraphs: [
        `Hello ${data.name},`,
        `Please confirm that this is your email address. After that you can add money and join the daily round.`,
      ],
      action: { label: 'Verify my email', url: verifyLink(frame) },
      after: ['The link works for 24 hours. If you did not register, ignore this mail.'],
    }),
    hi: (data, frame) => ({
      subject: `${frame.brandName} के लिए अपने ईमेल की पुष्टि करें`,
      paragraphs: [`नमस्ते ${data.name},`, 'कृपया पुष्टि करें कि यह ईमेल पता आपका है। इसके बाद आप पैसे जोड़कर रोज़ के राउंड में शामिल हो सकते हैं।'],
      action: { label: 'मेरे ईमेल की पुष्टि करें', url: verifyLink(frame) },
      after: ['यह लिंक 24 घंटे तक चलता है। अगर आपने खाता नहीं बनाया है, तो इस ईमेल को अनदेखा करें।'],
    }),
  },
  reset: {
    en: (data, frame) => ({
      subject: `Reset your ${frame.brandName} password`,
      paragraphs: [`Hello ${data.name},`, 'Someone asked for a new password for your account. If it was you, choose one here:'],
      action: { label: 'Choose a new password', url: resetLink(frame) },
      after: ['The link works once, for one hour. If you did not ask for it, ignore this mail: your password stays as it is.'],
    }),
    hi: (data, frame) => ({
      subject: `अपने ${frame.brandName} खाते का पासवर्ड बदलें`,
      paragraphs: [`नमस्ते ${data.name},`, 'आपके खाते के लिए नया पासवर्ड माँगा गया है। अगर यह आपने माँगा है, तो यहाँ नया पासवर्ड चुनें:'],
      action: { label: 'नया पासवर्ड चुनें', url: resetLink(frame) },
      after: ['यह लिंक एक घंटे तक, सिर्फ़ एक बार चलता है। अगर आपने नहीं माँगा, तो इस ईमेल को अनदेखा करें: आपका पासवर्ड वही रहेगा।'],
    }),
  },
  welcome: {
    en: (data, frame) => ({
      subject: `Welcome to ${frame.brandName}`,
      paragraphs: [
        `Hello ${data.name},`,
        'Your email is verified. Add ₹10 to ₹30 to your wallet and join the round of the day with one rupee.',
      ],
      action: { label: 'Go to your dashboard', url: frame.link('/dashboard') },
    }),
    hi: (data, frame) => ({
      subject: `${frame.brandName} में आपका स्वागत है`,
      paragraphs: [`नमस्ते ${data.name},`, 'आपके ईमेल की पुष्टि हो गई है। अपने वॉलेट में ₹10 से ₹30 जोड़ें और एक रुपये में आज के राउंड में शामिल हों।'],
      action: { label: 'अपने डैशबोर्ड पर जाएँ', url: frame.link('/dashboard') },
    }),
  },
  password_changed: {
    en: (data, frame) => ({
      subject: `Your ${frame.brandName} password was changed`,
      paragraphs: [`Hello ${data.name},`, 'Your password was changed and all other devices were signed out.'],
      action: { label: 'This was not me', url: frame.link('/forgot-password') },
      after: ['If it was not you, set a new password at once and contact us.'],
    }),
    hi: (data, frame) => ({
      subject: `आपके ${frame.brandName} खाते का पासवर्ड बदल गया`,
      paragraphs: [`नमस्ते ${data.name},`, 'आपका पासवर्ड बदल गया है, और बाकी सभी डिवाइस पर आप लॉग आउट हो गए हैं।'],
      action: { label: 'यह मैंने नहीं किया', url: frame.link('/forgot-password') },
      after: ['अगर यह आपने नहीं किया, तो तुरंत नया पासवर्ड चुनें और हमसे संपर्क करें।'],
    }),
  },
  account_closed: {
    en: (data, frame) => ({
      subject: `Your ${frame.brandName} account is closed`,
      paragraphs: [
        `Hello ${data.name},`,
        'Your account was closed and your name, email, phone number and picture were erased. The public books keep the amounts, without your name.',
        'Thank you for every rupee you shared.',
      ],
      action: { label: 'Write to us', url: frame.link('/contact-us') },
      after: ['If this was not you, please write to us at once.'],
    }),
    hi: (data, frame) => ({
      subject: `आपका ${frame.brandName} खाता बंद हो गया`,
      paragraphs: [
        `नमस्ते ${data.name},`,
        'आपका खाता बंद कर दिया गया है, और आपका नाम, ईमेल, फ़ोन नंबर और तस्वीर मिटा दिए गए हैं। सार्वजनिक बही में राशियाँ रहती हैं, आपका नाम नहीं।',
        'आपके दिए हर रुपये के लिए धन्यवाद।',
      ],
      action: { label: 'हमें लिखें', url: frame.link('/contact-us') },
      after: ['अगर यह आपने नहीं किया, तो कृपया तुरंत हमें लिखें।'],
    }),
  },
  new_bank_account: {
    en: (data, frame) => ({
      subject: `A new bank account was used on ${frame.brandName}`,
      paragraphs: [
        `Hello ${data.name},`,
        `A withdrawal to a new bank account was asked for: ${data.bank}, account ending in ${data.account}.`,
      ],
      action: { label: 'See your wallet', url: frame.link('/wallet') },
      after: ['If this was not you, contact us and change your password.'],
    }),
    hi: (data, frame) => ({
      subject: `${frame.brandName} पर नया बैंक खाता इस्तेमाल हुआ`,
      paragraphs: [`नमस्ते ${data.name},`, `एक नए बैंक खाते में निकासी का अनुरोध हुआ है: ${data.bank}, खाते के आखिरी अंक ${data.account}।`],
      action: { label: 'अपना वॉलेट देखें', url: frame.link('/wallet') },
      after: ['अगर यह आपने नहीं किया, तो हमसे संपर्क करें और अपना पासवर्ड बदलें।'],
    }),
  },
  withdrawal_requested: {
    en: (data, frame) => ({
      subject: `Withdrawal of ${data.amount} requested`,
      paragraphs: [
        `Hello ${data.name},`,
        `Your withdrawal of ${data.amount} to the account ending in ${data.account} is being processed. It takes 24 to 48 hours.`,
      ],
      action: { label: 'See your wallet', url: frame.link('/wallet') },
      after: ['If this was not you, contact us and change your password.'],
    }),
    hi: (data, frame) => ({
      subject: `${data.amount} की निकासी का अनुरोध मिला`,
      paragraphs: [
        `नमस्ते ${data.name},`,
        `आपके खाते (आखिरी अंक ${data.account}) में ${data.amount} की निकासी पर काम हो रहा है। इसमें 24 से 48 घंटे लगते हैं।`,
      ],
      action: { label: 'अपना वॉलेट देखें', url: frame.link('/wallet') },
      after: ['अगर यह आपने नहीं किया, तो हमसे संपर्क करें और अपना पासवर्ड बदलें।'],
    }),
  },
  withdrawal_paid: {
    en: (data, frame) => ({
      subject: `Your withdrawal of ${data.amount} was paid`,
      paragraphs: [
        `Hello ${data.name},`,
        `${data.amount} was sent to your account ending in ${data.account}.${data.reference === '' ? '' : ` Bank reference: ${data.reference}`}`,
      ],
      action: { label: 'See your wallet', url: frame.link('/wallet') },
    }),
    hi: (data, frame) => ({
      subject: `${data.amount} की निकासी का भुगतान हुआ`,
      paragraphs: [
        `नमस्ते ${data.name},`,
        `${data.amount} आपके खाते (आखिरी अंक ${data.account}) में भेजे गए।${data.reference === '' ? '' : ` बैंक संदर्भ: ${data.reference}`}`,
      ],
      action: { label: 'अपना वॉलेट देखें', url: frame.link('/wallet') },
    }),
  },
  withdrawal_returned: {
    en: (data, frame) => ({
      subject: `Your withdrawal of ${data.amount} came back`,
      paragraphs: [`Hello ${data.name},`, `Your withdrawal of ${data.amount} did not go through. The money is back in your wallet.`],
      action: { label: 'See your wallet', url: frame.link('/wallet') },
    }),
    hi: (data, frame) => ({
      subject: `${data.amount} की निकासी वापस आई`,
      paragraphs: [`नमस्ते ${data.name},`, `${data.amount} की निकासी नहीं हो पाई। राशि आपके वॉलेट में वापस है।`],
      action: { label: 'अपना वॉलेट देखें', url: frame.link('/wallet') },
    }),
  },
  refund_paid: {
    en: (data, frame) => ({
      subject: `Your refund of ${data.amount} was sent`,
      paragraphs: [`Hello ${data.name},`, `${data.amount} was sent back to where it came from. Your bank may take a few days.`],
      action: { label: 'See your wallet', url: frame.link('/wallet') },
    }),
    hi: (data, frame) => ({
      subject: `${data.amount} का रिफ़ंड भेजा गया`,
      paragraphs: [`नमस्ते ${data.name},`, `${data.amount} वहीं वापस भेजे गए जहाँ से आए थे। आपके बैंक को कुछ दिन लग सकते हैं।`],
      action: { label: 'अपना वॉलेट देखें', url: frame.link('/wallet') },
    }),
  },
  refund_returned: {
    en: (data, frame) => ({
      subject: `Your refund of ${data.amount} did not go through`,
      paragraphs: [`Hello ${data.name},`, `Your refund of ${data.amount} did not go through. The money is back in your wallet.`],
      action: { label: 'See your wallet', url: frame.link('/wallet') },
    }),
    hi: (data, frame) => ({
      subject: `${data.amount} का रिफ़ंड नहीं हो पाया`,
      paragraphs: [`नमस्ते ${data.name},`, `${data.amount} का रिफ़ंड नहीं हो पाया। राशि आपके वॉलेट में वापस है।`],
      action: { label: 'अपना वॉलेट देखें', url: frame.link('/wallet') },
    }),
  },
  money_added: {
    en: (data, frame) => ({
      subject: `${data.amount} added to your wallet`,
      paragraphs: [`Hello ${data.name},`, `${data.amount} was added to your wallet. Order ID: ${data.orderId}`],
      action: { label: 'See your wallet', url: frame.link('/wallet') },
      after: ['This is your receipt. The unused part can be refunded within 7 days.'],
    }),
    hi: (data, frame) => ({
      subject: `आपके वॉलेट में ${data.amount} जोड़े गए`,
      paragraphs: [`नमस्ते ${data.name},`, `आपके वॉलेट में ${data.amount} जोड़े गए। ऑर्डर आईडी: ${data.orderId}`],
      action: { label: 'अपना वॉलेट देखें', url: frame.link('/wallet') },
      after: ['यह आपकी रसीद है। जो हिस्सा इस्तेमाल न हो, उसका रिफ़ंड 7 दिन के अंदर मिल सकता है।'],
    }),
  },
  draw_won: {
    en: (data, frame) => ({
      subject: `You won ${data.amount}!`,
      paragraphs: [`Hello ${data.name},`, `You won ${data.amount} in the round of ${dayIn(data.day, 'en')}. It is in your wallet already.`],
      action: { label: 'See the round', url: frame.link('/history') },
    }),
    hi: (data, frame) => ({
      subject: `आपने ${data.amount} जीते!`,
      paragraphs: [`नमस्ते ${data.name},`, `आपने ${dayIn(data.day, 'hi')} के राउंड में ${data.amount} जीते। राशि आपके वॉलेट में आ चुकी है।`],
      action: { label: 'राउंड देखें', url: frame.link('/history') },
    }),
  },
  weekly_joins: {
    en: (data, frame) => ({
      subject: `Your week with ${frame.brandName}: ${data.rounds === '1' ? '1 round' : `${data.rounds} rounds`}`,
      paragraphs: [
        `Hello ${data.name},`,
        `Auto Participate joined you to ${data.rounds === '1' ? '1 round' : `${data.rounds} rounds`} from ${dayIn(data.from, 'en')} to ${dayIn(data.to, 'en')}, for ₹1 each.`,
      ],
      action: { label: 'See your rounds', url: frame.link('/history') },
      after: ['You can turn Auto Participate off at any time in your profile.'],
    }),
    hi: (data, frame) => ({
      subject: `${frame.brandName} के साथ आपका सप्ताह: ${data.rounds} राउंड`,
      paragraphs: [
        `नमस्ते ${data.name},`,
        `“अपने-आप शामिल हों” ने आपको ${dayIn(data.from, 'hi')} से ${dayIn(data.to, 'hi')} तक ${data.rounds} राउंड में शामिल किया, हर राउंड ₹1 में।`,
      ],
      action: { label: 'अपने राउंड देखें', url: frame.link('/history') },
      after: ['आप अपनी प्रोफ़ाइल में “अपने-आप शामिल हों” कभी भी बंद कर सकते हैं।'],
    }),
  },
  audit_alarm: {
    en: (data, frame) => ({
      subject: `${frame.brandName}: the books do not add up`,
      paragraphs: [`Hello ${data.name},`, `The check of the books of ${data.at} IST found what must never be:`, data.sentences],
      action: { label: 'Open the portal', url: frame.link('/admin/dashboard') },
      after: ['Hold withdrawals and refunds until the cause is known. npm run audit names every row.'],
    }),
    hi: (data, frame) => ({
      subject: `${frame.brandName}: बही का हिसाब नहीं मिल रहा`,
      paragraphs: [`नमस्ते ${data.name},`, `${data.at} (भारतीय समय) की बही की जाँच में वह मिला जो कभी नहीं होना चाहिए:`, data.sentences],
      action: { label: 'पोर्टल खोलें', url: frame.link('/admin/dashboard') },
      after: ['कारण पता चलने तक निकासी और रिफ़ंड रोककर रखें। npm run audit हर पंक्ति बताता है।'],
    }),
  },
  contact: {
    en: (data) => ({
      subject: `[${data.ticket}] Message from ${data.name}`,
      paragraphs: [`${data.name} <${data.email}> wrote:`, data.message],
    }),
    hi: (data) => ({ subject: `[${data.ticket}] ${data.name} का संदेश`, paragraphs: [`${data.name} <${data.email}> ने लिखा:`, data.message] }),
  },
}
