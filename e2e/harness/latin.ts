/** Finds Latin words on a Hindi screen, in its text, labels and title, except those that are the same in every language. */
import type { Page } from 'playwright-core'

/** Words that Hindi readers know in Latin letters only. */
const ALLOWED = new Set(
  [
    'IFSC UPI UTR PDF JPEG HEIC JSON ID MB TOTP OTP QR API SHA ISO',
    // The terms of a draw's check: the source of the public number, programs, methods.
    'drand Node Node.js Python JavaScript WebAssembly GitHub Merkle Ed25519',
    'YouTube Cashfree Payments Google Gmail WhatsApp Authenticator Aegis',
    // What a bank writes in its statement.
    'CSV Dr Cr SBI',
    // Mail programs recognise an answer by its subject's first word.
    'Re',
    // Browsers and systems by their makers' names.
    'Chrome Firefox Safari Edge Mozilla Apple Microsoft Android iPhone iPad Windows Mac Linux',
  ].flatMap((line) => line.split(' ')),
)

/** Not words: addresses, mail addresses, files, numbers of orders and requests, commands, fingerprints, bank codes. */
const SAME_EVERYWHERE = [
  /https?:\/\/\S+/g,
  /\b[0-9a-f]{4,}…[0-9a-f]*/g,
  /[\w.+-]+@[\w.-]+/g,
  /\b(?:[\w-]+\/)*[\w-]+\.(?:mjs|js|json|txt|md|csv|pdf|html)\b/g,
  /\/(?:[\w-]+\/?)+/g,
  /\b(?=\w*\d)[A-Za-z0-9_-]{6,}\b/g,
  /\b(?=\w*\d)[0-9A-Z]{4,6}\b/g,
  /--[a-z-]+/g,
  /\broz [a-z]+(?: [a-z-]+)?/g,
  /\b[0-9a-f]{2}(?: ?[0-9a-f]{2}){3,}…?/g,
  // A field of a story in the other language: the language is named in its own words.
  /: English$/g,
] as const

const WORD = /\p{Script=Latin}[\p{Script=Latin}\p{M}'’.-]*/gu

/** The sentences that contain a Latin word, each once: `word in: sentence`. */
export function latinIn(texts: readonly string[]): string[] {
  const found = texts.flatMap((text) => {
    const rest = SAME_EVERYWHERE.reduce((left, pattern) => left.replace(pattern, ' '), text)
    const words = (rest.match(WORD) ?? []).map((word) => word.replace(/[.'’-]+$/u, '')).filter((word) => !ALLOWED.has(word))
    return words.length === 0 ? [] : [`${[...new Set(words)].join(', ')} in: ${text.slice(0, 160)}`]
  })
  return [...new Set(found)]
}

/** All text of the page, hidden text too; without code and parts marked as another language. */
export function textsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const own = (element: Element | null): boolean =>
      element !== null && element.closest('[lang]:not([lang="hi"]), script, style, noscript, code, pre, [translate="no"]') === null
    const texts = [document.title]
    for (const name of ['description', 'og:title', 'og:description', 'og:image:alt'])
      texts.push(document.querySelector(`meta[name="${name}"], meta[property="${name}"]`)?.getAttribute('content') ?? '')
    for (const element of document.querySelectorAll('body *')) {
      if (!own(element)) continue
      for (const name of ['aria-label', 'aria-description', 'placeholder', 'alt', 'title', 'label'])
        texts.push(element.getAttribute(name) ?? '')
      for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) texts.push(node.nodeValue ?? '')
    }
    return texts.map((text) => text.trim()).filter((text) => text !== '')
  })
}
