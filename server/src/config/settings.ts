/**
 * Reads single settings from an environment, with the defaults and limits that declared.ts has. An undeclared name does not compile.
 * - All complaints are collected, so that `finish` reports them at once.
 * - A blank value counts as not set.
 */
import { email } from '@roz/core/person-fields.ts'
import { addressesOf } from '../db/hosts.ts'
import { type ChoiceName, type ChoicesOf, declaredAs, defaultOf, type FlagName, type IntegerName, type SettingName } from './declared.ts'

export class Settings {
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #complaints: string[] = []

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env
  }

  complain(text: string): void {
    this.#complaints.push(text)
  }

  text(name: SettingName): string | undefined {
    const value = this.#env[name]?.trim()
    return value === '' ? undefined : value
  }

  required(name: SettingName): void {
    if (this.text(name) === undefined) this.complain(`${name} is not set`)
  }

  /** Its value, or the declared default. */
  textOr(name: Parameters<typeof defaultOf>[0]): string {
    return this.text(name) ?? defaultOf(name)
  }

  /** `otherwise` is the default of a setting whose default depends on another one. */
  integer(name: IntegerName, otherwise?: number): number {
    const declared = declaredAs(name)
    if (declared.kind !== 'integer') throw new Error(`${name} is no integer`)
    const { min, max } = declared
    const fallback = otherwise ?? declared.otherwise ?? min
    const value = this.text(name)
    if (value === undefined) return fallback
    const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    this.complain(`${name}: a whole number from ${min} to ${max}, not “${value}”`)
    return fallback
  }

  /** An address that a mail can be sent to. */
  mailAddress(name: SettingName): string | undefined {
    const value = this.text(name)
    if (value === undefined || email.safeParse(value).success) return value
    this.complain(`${name}: a mail address such as support@example.org, not “${value}”`)
    return undefined
  }

  /** on, 1, true, yes · off, 0, false, no. */
  flag(name: FlagName, otherwise?: boolean): boolean {
    const declared = declaredAs(name)
    const fallback = otherwise ?? declared.otherwise === true
    const value = this.text(name)?.toLowerCase()
    if (value === undefined) return fallback
    if (['1', 'on', 'true', 'yes'].includes(value)) return true
    if (['0', 'off', 'false', 'no'].includes(value)) return false
    this.complain(`${name}: on or off, not “${value}”`)
    return fallback
  }

  choice<N extends ChoiceName>(name: N, otherwise?: ChoicesOf<N>): ChoicesOf<N> {
    const declared = declaredAs(name)
    if (declared.kind !== 'choice') throw new Error(`${name} is no choice`)
    const fallback = (otherwise ?? declared.otherwise) as ChoicesOf<N>
    const value = this.text(name)
    if (value === undefined) return fallback
    if (declared.of.includes(value)) return value as ChoicesOf<N>
    this.complain(`${name}: one of ${declared.of.join(', ')}, not “${value}”`)
    return fallback
  }

  /** An http(s) URL, returned without trailing slashes. */
  url(name: SettingName): string | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value.replace(/\/+$/, '')
    this.complain(`${name}: an http or https address, not “${value}”`)
    return undefined
  }

  /** The URL of a mail server. No complaint shows it, because it may contain a password. */
  smtpUrl(name: SettingName): string | undefined {
    const value = this.text(name)
    if (value === undefined || (/^smtps?:\/\//.test(value) && URL.canParse(value) && new URL(value).hostname !== '')) return value
    this.complain(`${name}: an address such as smtp://user:password@host:587; in a password # is written %23, / %2F and @ %40`)
    return undefined
  }

  /** The URL of a PostgreSQL, with one host or several. No complaint shows it, because it may contain a password. */
  postgresUrl(name: SettingName): string | undefined {
    const value = this.text(name)
    const isPostgres = (address: string): boolean => URL.canParse(address) && /^postgres(ql)?:$/.test(new URL(address).protocol)
    if (value === undefined || addressesOf(value).every(isPostgres)) return value
    this.complain(`${name}: an address such as postgres://user:password@host:5432/roz; several hosts are separated by commas`)
    return undefined
  }

  finish(failure: (complaints: readonly string[]) => Error): void {
    if (this.#complaints.length > 0) throw failure([...new Set(this.#complaints)])
  }
}
