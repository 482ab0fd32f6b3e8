/**
 * Checks that settings are safe.
 * - Production needs secrets that nobody guesses, and TLS to the mail server and to a database on another host.
 * - Outside production the server listens on this machine only.
 * - ALLOW_INSECURE names each exception: mail, database, host, traces.
 * - No complaint shows a secret.
 */
import { addressesOf } from '../db/hosts.ts'
import { isCommonPassword } from '../members/common-passwords.ts'
import type { SettingName } from './declared.ts'
import type { Settings } from './settings.ts'

/** The exceptions that ALLOW_INSECURE may name. */
const INSECURE = ['mail', 'database', 'host', 'traces'] as const
type Insecure = (typeof INSECURE)[number]
export type Allowed = (what: Insecure) => boolean

const SECRET_KEY_BYTES_MIN = 32
const ADMIN_PASSWORD_MIN = 12
const METRICS_TOKEN_MIN = 16
/** 32 random bytes as hex have some 240, and any sentence of 40 letters has more than 130. */
const SECRET_KEY_BITS_MIN = 100
const METRICS_TOKEN_BITS_MIN = 40

export function allowedInsecure(settings: Settings): Allowed {
  const named = (settings.text('ALLOW_INSECURE') ?? '').split(/[\s,]+/).filter((name) => name !== '')
  for (const name of named)
    if (!(INSECURE as readonly string[]).includes(name)) settings.complain(`ALLOW_INSECURE: any of ${INSECURE.join(', ')}, not “${name}”`)
  return (what) => named.includes(what)
}

/** Outside production anybody who reaches the server can set the clock and read all mails. */
export function judgeHost(settings: Settings, host: string, allowed: Allowed): void {
  if (isThisMachine(host) || allowed('host')) return
  settings.complain(
    `HOST: outside production anybody who reaches “${host}” could set the clock and read the mails; leave it at 127.0.0.1, or say ALLOW_INSECURE=host`,
  )
}

/** A value of a sample that was not replaced. */
const isPlaceholder = (text: string): boolean =>
  /change.?(me|this|it)|placeholder|replace.?(me|this)|your.?(secret|key|password|token)|x{6}|<.*>/i.test(text)

/** Few different characters, or a sample: the length alone says nothing. Counts Shannon's bits of the characters. */
function isGuessable(text: string, bitsMin: number): boolean {
  const counts = new Map<string, number>()
  const all = Array.from(text)
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1)
  const bits = [...counts.values()].reduce((sum, count) => sum - count * Math.log2(count / all.length), 0)
  return bits < bitsMin || isPlaceholder(text)
}

/** Checks the secrets that are set. A missing secret has a complaint of its own. */
export function judgeSecrets(settings: Settings): void {
  const expectLength = (name: SettingName, lengthOf: (text: string) => number, min: number, unit: string): void => {
    const value = settings.text(name)
    if (value !== undefined && lengthOf(value) < min) settings.complain(`${name}: production needs at least ${min} ${unit}`)
  }
  expectLength('SECRET_KEY', (text) => Buffer.byteLength(text), SECRET_KEY_BYTES_MIN, 'bytes, such as those of “openssl rand -hex 32”')
  expectLength('ADMIN_PASSWORD', (text) => text.length, ADMIN_PASSWORD_MIN, 'characters')
  expectLength('METRICS_TOKEN', (text) => text.length, METRICS_TOKEN_MIN, 'characters')
  const key = settings.text('SECRET_KEY')
  if (key !== undefined && Buffer.byteLength(key) >= SECRET_KEY_BYTES_MIN && isGuessable(key, SECRET_KEY_BITS_MIN))
    settings.complain('SECRET_KEY: production needs random bytes, such as those of “openssl rand -hex 32”')
  const token = settings.text('METRICS_TOKEN')
  if (token !== undefined && token.length >= METRICS_TOKEN_MIN && isGuessable(token, METRICS_TOKEN_BITS_MIN))
    settings.complain('METRICS_TOKEN: production needs random characters, such as those of “openssl rand -hex 16”')
  const password = settings.text('ADMIN_PASSWORD')
  // A common password stays one with digits behind it.
  if (password !== undefined && [password, password.replace(/[\d\W_]+$/, '')].some((text) => isPlaceholder(text) || isCommonPassword(text)))
    settings.complain('ADMIN_PASSWORD: this password is one of the most common ones; production needs another')
}

/** Production uses TLS to the mail server and to a database on another host. */
export function judgeLines(settings: Settings, allowed: Allowed): void {
  const mail = settings.text('MAIL_URL')
  if (mail !== undefined && !allowed('mail') && weakensTls(mail))
    settings.complain('MAIL_URL: production needs TLS: leave out what weakens it, or say ALLOW_INSECURE=mail')
  for (const name of ['DATABASE_URL', 'MIGRATE_DATABASE_URL'] as const) {
    const database = settings.text(name)
    if (database === undefined || allowed('database') || addressesOf(database).every(isSafeLine)) continue
    settings.complain(
      `${name}: production needs TLS to a database on another host: add sslmode=verify-full, or say ALLOW_INSECURE=database`,
    )
  }
}

function isSafeLine(address: string): boolean {
  // An invalid URL has a complaint of its own.
  if (!URL.canParse(address)) return true
  const { hostname, searchParams } = new URL(address)
  const host = searchParams.get('host') ?? decodeURIComponent(hostname)
  // A path is a Unix socket on this machine. Only verify-full checks the server's identity in every version of the driver.
  return host === '' || host.startsWith('/') || isThisMachine(host) || searchParams.get('sslmode') === 'verify-full'
}

/** True for parameters that let the mail driver skip TLS or the check of the server's identity. */
const weakensTls = (url: string): boolean =>
  URL.canParse(url) &&
  [...new URL(url).searchParams.keys()].some((name) => /^(tls\.|service$|secure$|ignoreTLS$|requireTLS$|opportunisticTLS$)/i.test(name))

export const isThisMachine = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)
