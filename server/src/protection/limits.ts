/**
 * Throttles, counted in the database by roz_now().
 * - Of concurrent calls exactly as many pass as the limit allows.
 * - A refused call takes no hit from any limit, and writes nothing.
 * - A limit by mail address is the same for known and unknown addresses.
 * - Nobody can lock a member out of a browser in which the member logged in before.
 * - A hit is taken before the work and given back if the work shows that it does not count (a right password).
 *   If hits were counted afterwards, a hundred guesses sent at once would all pass.
 */
import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { asciiAddress } from '@roz/core/person-fields.ts'
import { type Queryable, sql } from '../db/sql.ts'

export type Limit = {
  /** The limited thing and its holder: `['password', email, block]`. */
  readonly key: readonly string[]
  readonly hitsMax: number
  readonly windowSeconds: number
}

export type Taken =
  | { readonly ok: true; readonly giveBack: () => Promise<void> }
  | { readonly ok: false; readonly code: 'too_many_requests'; readonly retryAfterSeconds: number }

const QUARTER_HOUR = 900
const HOUR = 3600
const DAY = 86_400

/** Takes one hit from each limit, or from none of them. */
export async function take(from: Queryable, limits: readonly Limit[]): Promise<Taken> {
  if (limits.length === 0) return { ok: true, giveBack: async () => undefined }
  const buckets = limits.map((limit) => digest(limit.key))
  const { taken_at, wait_seconds } = await from.one<{ taken_at: string | null; wait_seconds: number | null }>(
    // As text: a Date has milliseconds only and would not match the stored microseconds.
    sql`select taken_at::text, wait_seconds from throttle_take(${buckets}::bytea[], ${limits.map((limit) => limit.hitsMax)}::int[],
        ${limits.map((limit) => limit.windowSeconds)}::int[])`,
  )
  if (taken_at === null) return { ok: false, code: 'too_many_requests', retryAfterSeconds: Math.max(1, Math.ceil(wait_seconds ?? 1)) }
  return {
    ok: true,
    giveBack: async () => {
      await from.query(sql`
        with locked as (select bucket from throttle where bucket = any (${buckets}::bytea[]) order by bucket for update)
        update throttle t set hits = array_remove(t.hits, ${taken_at}::timestamptz) from locked where t.bucket = locked.bucket`)
    },
  }
}

/** Runs an attempt within limits. It takes a hit only if its answer counts; a fault, such as overload, is no attempt. */
export async function limitAttempts<A>(from: Queryable, limits: readonly Limit[], work: () => Promise<A>, counts: (answer: A) => boolean) {
  const taken = await take(from, limits)
  if (!taken.ok) return taken
  let answer: A | undefined
  try {
    answer = await work()
    return answer
  } finally {
    if (answer === undefined || !counts(answer)) await taken.giveBack()
  }
}

const FORGOTTEN_AT_ONCE = 10_000

/** Deletes hits that no limit counts any more, some at once. Returns whether there may be more. */
export async function forgetOldHits(from: Queryable): Promise<boolean> {
  const gone = await from.query(sql`
    delete from throttle where bucket in (
      select bucket from throttle
       where last_at not between (select roz_now()) - interval '25 hours' and (select roz_now()) + interval '25 hours'
       limit ${FORGOTTEN_AT_ONCE}::int) returning 1`)
  return gone.length === FORGOTTEN_AT_ONCE
}

const digest = (key: readonly string[]): Buffer => createHash('sha256').update(JSON.stringify(key)).digest()

/** Compares mail addresses without regard to case, and to whether the domain was typed in its own script or in ASCII. */
export const addressKey = (email: string): string => asciiAddress(email.trim()).toLowerCase()

/** Turns an IPv4-mapped IPv6 address into the IPv4 address. */
export const plainIp = (ip: string): string => /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1] ?? ip.toLowerCase()

/** The address block: /24 of IPv4, /64 of IPv6. */
export function addressBlock(ip: string): string {
  const plain = plainIp(ip)
  if (!isIPv6(plain)) return plain.split('.').slice(0, 3).join('.')
  const [head = '', tail] = plain.replace(/%.*$/, '').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/** The address of one customer: an IPv4 address, or the /64 that an IPv6 customer has. */
export function customerAddress(ip: string): string {
  const plain = plainIp(ip)
  return isIPv6(plain) ? addressBlock(plain) : plain
}

/** The key of a limit by network address; undefined for 127.0.0.1 and ::1 outside production, which have no such limit. */
export function networkOf(ip: string, production: boolean): string | undefined {
  const plain = plainIp(ip)
  return !production && (plain === '127.0.0.1' || plain === '::1') ? undefined : customerAddress(plain)
}

/** The origin of a request as the limits see it. */
export type Source = { readonly ip: string; readonly userAgent: string }

/** Digests that recognise a browser, the most exact first: by its address, then by its address block. */
export const browserDigests = (source: Source): readonly [exact: Buffer, block: Buffer] => [
  digest(['browser', plainIp(source.ip), source.userAgent]),
  digest(['browser block', addressBlock(source.ip), source.userAgent]),
]

const byMember =
  (what: string, hitsMax: number) =>
  (memberId: bigint): Limit[] => [{ key: ['member', what, String(memberId)], hitsMax, windowSeconds: HOUR }]
/** Limits per member and hour for work that costs us and not the member. No ordinary use comes near them. A poster counts as an avatar. */
export const memberLimits = {
  orders: byMember('orders', 60),
  avatars: byMember('avatars', 30),
  bills: byMember('receipts', 300),
  statements: byMember('statements', 120),
  exports: byMember('exports', 20),
} as const

/** Wrong codes of one payment of help: five guesses a day of 10,000 codes. */
export const arrivalCodes = (id: string): Limit[] => [{ key: ['arrival code', id.toLowerCase()], hitsMax: 5, windowSeconds: DAY }]

/** Successful logins of an account in an hour, from each browser that it knows and from all others together. */
export const LOGINS_MAX = 100

export type LimitRules = ReturnType<typeof limitRules>

/** All limits of visitors and logins. Outside production this machine has no limit by network address. */
export function limitRules(options: { readonly production: boolean }) {
  const network = (ip: string, what: string, hitsMax: number, windowSeconds: number): Limit[] => {
    const whose = networkOf(ip, options.production)
    return whose === undefined ? [] : [{ key: ['network', what, whose], hitsMax, windowSeconds }]
  }
  const others = (ip: string): Limit[] => network(ip, 'others', 300, HOUR)
  return {
    /** Wrong passwords for a mail address; `browser` is the digest that recognised a known browser. */
    wrongPassword: (email: string, source: Source, browser: Buffer | undefined): Limit[] => [
      ...(browser === undefined
        ? [
            { key: ['password', addressKey(email), addressBlock(source.ip)], hitsMax: 10, windowSeconds: QUARTER_HOUR },
            { key: ['password', addressKey(email)], hitsMax: 50, windowSeconds: QUARTER_HOUR },
          ]
        : [{ key: ['password', addressKey(email), 'browser', browser.toString('hex')], hitsMax: 10, windowSeconds: QUARTER_HOUR }]),
      ...network(source.ip, 'password', 200, QUARTER_HOUR),
    ],
    /** Wrong codes of a second factor, after the right password: 20 guesses a day find one of three codes in 45 years. */
    wrongCode: (memberId: bigint, source: Source, browser: Buffer | undefined): Limit[] => {
      const from = browser === undefined ? addressBlock(source.ip) : `browser ${browser.toString('hex')}`
      const each = { key: ['code', String(memberId), from], hitsMax: 10, windowSeconds: QUARTER_HOUR }
      const all = browser === undefined ? ['code', String(memberId)] : ['code', String(memberId), from, 'day']
      return [each, { key: all, hitsMax: 20, windowSeconds: DAY }]
    },
    refusedGoogle: (source: Source): Limit[] => network(source.ip, 'google', 100, QUARTER_HOUR),
    registration: (email: string, source: Source): Limit[] => [
      { key: ['register', addressKey(email)], hitsMax: 20, windowSeconds: HOUR },
      ...network(source.ip, 'register', 300, HOUR),
    ],
    /** Registrations that were told of an account with the address: a search for members asks often. */
    probes: (source: Source): Limit[] => network(source.ip, 'probes', 20, HOUR),
    /** Corrections of an address that is not confirmed: each one mails an address of the member's choice. */
    correction: (memberId: bigint, email: string, source: Source): Limit[] => [
      { key: ['correct', String(memberId)], hitsMax: 5, windowSeconds: DAY },
      { key: ['register', addressKey(email)], hitsMax: 20, windowSeconds: HOUR },
      ...network(source.ip, 'register', 300, HOUR),
    ],
    /** Verification mails sent again. Only this limit is told; mail/allowance.ts has the limits of all mails. */
    resent: (email: string): Limit[] => [{ key: ['resend', addressKey(email)], hitsMax: 5, windowSeconds: DAY }],
    /** Successful logins: each leaves a session and a browser. A known browser has an allowance of its own, so nobody uses it up from elsewhere. */
    logins: (memberId: bigint, browser: Buffer | undefined): Limit[] => [
      { key: ['login', String(memberId), browser?.toString('hex') ?? 'new'], hitsMax: LOGINS_MAX, windowSeconds: HOUR },
    ],
    forgotten: (email: string, source: Source): Limit[] => [
      { key: ['forgot', addressKey(email)], hitsMax: 10, windowSeconds: HOUR },
      ...others(source.ip),
    ],
    message: (email: string, source: Source): Limit[] => [
      { key: ['message', addressKey(email)], hitsMax: 20, windowSeconds: HOUR },
      ...others(source.ip),
    ],
    /** Requests for help: five with somebody else's phone number do not lock out its person, who asks from elsewhere. */
    askedHelp: (phone: string, source: Source): Limit[] => [
      { key: ['ask for help', phone, addressBlock(source.ip)], hitsMax: 5, windowSeconds: DAY },
      { key: ['ask for help', phone], hitsMax: 20, windowSeconds: DAY },
      ...network(source.ip, 'ask for help', 20, DAY),
    ],
    /** Wrong pairs of a request and a phone number: numbers of requests may be published. */
    lookedUpCase: (number: string, phone: string, source: Source): Limit[] => [
      { key: ['request', number, addressBlock(source.ip)], hitsMax: 10, windowSeconds: DAY },
      { key: ['request of phone', phone, addressBlock(source.ip)], hitsMax: 10, windowSeconds: DAY },
      ...network(source.ip, 'request', 30, HOUR),
    ],
    /** Public pages that are not in the cache and must be rendered. */
    drawnPage: (ip: string): Limit[] => network(ip, 'drawn', 600, HOUR),
    /** Other calls of visitors, such as a reset or a repeated mail. */
    other: (source: Source): Limit[] => others(source.ip),
  }
}
