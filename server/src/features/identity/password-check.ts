/**
 * Checks one attempt at a password.
 *
 * - Limits are exact, also for attempts sent at once.
 * - A right password does not count against them.
 * - Every attempt costs one hash, for a known address or an unknown one.
 * - A right password whose hash has weaker parameters than today's is hashed anew, unless it was changed meanwhile.
 */
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import { addressBlock, addressKey, limitAttempts, type LimitRules, type Source } from '../../protection/limits.ts'
import { hashPassword, isPassword, isWeakHash } from '../../members/passwords.ts'
import { type Credentials, findById } from './accounts.ts'

type PasswordAttempt = {
  readonly email: string
  readonly source: Source
  readonly password: string
  readonly find: () => Promise<Credentials | undefined>
  /** Whether the account may sign in here at all; a refusal looks like a wrong password. */
  readonly admits?: (account: Credentials) => boolean
}
type PasswordChecked =
  | { readonly ok: true; readonly account: Credentials }
  | { readonly ok: false; readonly code: 'wrong' }
  | { readonly ok: false; readonly code: 'too_many_requests'; readonly retryAfterSeconds: number }

export type PasswordCheck = (attempt: PasswordAttempt) => Promise<PasswordChecked>

export function createPasswordCheck(db: Queryable, rules: LimitRules): PasswordCheck {
  const inOrder = createKeyQueue()
  // One attempt at a time per address and address block: hits that right passwords will give back must refuse nobody.
  return (attempt) => inOrder(`${addressKey(attempt.email)} ${addressBlock(attempt.source.ip)}`, () => check(db, rules, attempt))
}

async function check(db: Queryable, rules: LimitRules, attempt: PasswordAttempt): Promise<PasswordChecked> {
  const account = await attempt.find()
  const limits = rules.wrongPassword(attempt.email, attempt.source, account?.browser ?? undefined)
  const checked = await limitAttempts(
    db,
    limits,
    async () => {
      const isRight = await isPassword(account?.passwordHash ?? undefined, attempt.password)
      if (!isRight || account === undefined || attempt.admits?.(account) === false) return { ok: false, code: 'wrong' } as const
      return { ok: true, account } as const
    },
    ({ ok }) => !ok,
  )
  return checked.ok ? { ok: true, account: await withStrongHash(db, checked.account, attempt.password) } : checked
}

async function withStrongHash(db: Queryable, account: Credentials, password: string): Promise<Credentials> {
  const { id, passwordHash: weak } = account
  if (weak === null || !isWeakHash(weak)) return account
  const passwordHash = await hashPassword(password)
  const changed = await db.query(
    sql`update member set password_hash = ${passwordHash}::text where id = ${id}::bigint and password_hash = ${weak}::text returning 1`,
  )
  return changed.length === 1 ? { ...account, passwordHash } : account
}

export async function getCredentials(db: Db, memberId: bigint, source: Source): Promise<Credentials> {
  const mine = await findById(db, memberId, source)
  if (mine === undefined) throw new Error('a session without its account')
  return mine
}

/** Checks the password of the account that a session names. Its hash is then the one to compare under the account's lock. */
export async function checkOwnPassword(
  { db, checkPassword }: { readonly db: Db; readonly checkPassword: PasswordCheck },
  { memberId, source, password }: { readonly memberId: bigint; readonly source: Source; readonly password: string },
) {
  const mine = await getCredentials(db, memberId, source)
  const checked = await checkPassword({ email: mine.email, source, password, find: async () => mine })
  return checked.ok || checked.code !== 'wrong' ? checked : ({ ok: false, code: 'wrong_password' } as const)
}

/** Runs work with the same key one after the other. */
function createKeyQueue() {
  const last = new Map<string, Promise<void>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key)
    let done: () => void = () => undefined
    const mine = new Promise<void>((resolve) => {
      done = resolve
    })
    last.set(key, mine)
    await before
    try {
      return await work()
    } finally {
      if (last.get(key) === mine) last.delete(key)
      done()
    }
  }
}
