/** An authenticator app that knows a secret, for tests. */
import { codeAt, stepAt } from '../staff/totp.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** The code that the app shows `away` steps of 30 seconds from an instant. */
export const codeOfApp = (secret: string, atMs: number, away = 0): string => codeAt(fromBase32(secret), stepAt(atMs) + away)
