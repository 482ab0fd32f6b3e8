/**
 * Reads single settings from an environment.
 * - All complaints are collected, so that `finish` reports them at once.
 * - A blank value counts as not set.
 */
import { addressesOf } from '../db/hosts.ts'

export class Settings {
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #complaints: string[] = []

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env
  }

  complain(text: string): void {
    this.#complaints.push(text)
  }

  text(name: string): string | undefined {
    const value = this.#env[name]?.trim()
    return value === '' ? undefined : value
  }

  required(name: string): void {
    if (this.text(name) === undefined) this.complain(`${name} is not set`)
  }

  integer(name: string, otherwise: number, min: number, max: number): number {
    const value = this.text(name)
    if (value === undefined) return otherwise
    const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    this.complain(`${name}: a whole number from ${min} to ${max}, not “${value}”`)
    return otherwise
  }

  /** An address that a mail can be sent to. */
  mailAddress(name: string): string | undefined {
    const value = this.text(name)
    if (value === undefined || /^[^\s@<>]+@[^\s@<>.]+(\.[^\s@<>.]+)+$/.test(value)) return value
    this.complain(`${name}: a mail address such as support@example.org, not “${value}”`)
    return undefined
  }

  /** on, 1, true, yes · off, 0, false, no. */
  flag(name: string, otherwise: boolean): boolean {
    const value = this.text(name)?.toLowerCase()
    if (value === undefined) return otherwise
    if (['1', 'on', 'true', 'yes'].includes(value)) return true
    if (['0', 'off', 'false', 'no'].includes(value)) return false
    this.complain(`${name}: on or off, not “${value}”`)
    return otherwise
  }

  choice<const C extends readonly string[]>(name: string, choices: C, otherwise: C[number]): C[number] {
    const value = this.text(name)
    if (value === undefined) return otherwise
    if (choices.includes(value)) return value
    this.complain(`${name}: one of ${choices.join(', ')}, not “${value}”`)
    return otherwise
  }

  /** An http(s) URL, returned without trailing slashes. */
  url(name: string): string | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value.replace(/\/+$/, '')
    this.complain(`${name}: an http or https address, not “${value}”`)
    return undefined
  }

  /** The URL of a PostgreSQL, with one host or several. No complaint shows it, because it may contain a password. */
  postgresUrl(name: string): string | undefined {
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
