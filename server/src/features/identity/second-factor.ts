/**
 * The second factor of a staff account: an authenticator app (staff/totp.ts), passkeys (passkeys.ts) and recovery codes.
 *
 * - The secret is encrypted. Recovery codes have 118 random bits and are stored as SHA-256.
 * - Each code works once. It is used up under the lock of its row, in the transaction of what it allows.
 * - Wrong codes are limited. A hit is taken before the code is looked at, and given back for a right one.
 */
import { createHash, randomInt } from 'node:crypto'
import type { RefusalCode } from '@roz/core/refusals.ts'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { limitAttempts, type LimitRules, type Source } from '../../protection/limits.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { matchingStep } from '../../staff/totp.ts'
import type { Credentials } from './accounts.ts'
import { countPasskeys, type Place, type Purpose, type SignedByPasskey, usePasskey } from './passkeys.ts'

type SecretStore = Pick<Secrets, 'encrypt' | 'decrypt'>
const contextOf = (memberId: bigint): string => `staff_totp:${memberId}`

export const encryptSecret = (secrets: SecretStore, memberId: bigint, secret: Buffer): Buffer =>
  secrets.encrypt(secret, contextOf(memberId))
const decryptSecret = (secrets: SecretStore, memberId: bigint, sealed: Buffer): Buffer => secrets.decrypt(sealed, contextOf(memberId))

type Enrolment = {
  readonly sealed: Buffer
  readonly confirmedAt: Date | null
  readonly lastStep: bigint
  /** The app's codes neither log in nor step up. */
  readonly passkeysOnly: boolean
  readonly now: Date
}

/** The app of an account, confirmed or not; locks its row. */
export const lockEnrolment = (tx: Tx, memberId: bigint): Promise<Enrolment | undefined> =>
  tx.maybeOne<Enrolment>(sql`
    select sealed, confirmed_at as "confirmedAt", last_step as "lastStep", passkeys_only as "passkeysOnly", roz_now() as now
        from staff_totp where member_id = ${memberId}::bigint for update`)

/** Uses up a code of the app; false where it is wrong or used. */
export async function useTotp(tx: Tx, secrets: SecretStore, memberId: bigint, app: Enrolment, code: string): Promise<boolean> {
  const now = { atMs: app.now.getTime(), lastStep: Number(app.lastStep) }
  const step = matchingStep(decryptSecret(secrets, memberId, app.sealed), code, now)
  if (step === undefined) return false
  await tx.query(sql`update staff_totp set last_step = ${step}::bigint where member_id = ${memberId}::bigint`)
  return true
}

type Passed =
  | { readonly ok: true; readonly by: 'none' | 'app' | 'recovery' | 'passkey' }
  | { readonly ok: false; readonly code: 'code_required' | 'wrong_code' | 'passkey_required' | 'passkeys_only' | 'wrong_passkey' }
/** The second factor of a login or a step-up: a code, or a passkey's answer. */
export type Given = { readonly totp?: string | undefined; readonly passkey?: SignedByPasskey | undefined }

/** Checks the second factor of a locked account at a login or a step-up. An account without an app passes without one. */
export async function passSecondFactor(
  tx: Tx,
  secrets: SecretStore,
  memberId: bigint,
  given: Given,
  use: Purpose & Place,
): Promise<Passed> {
  const app = await lockEnrolment(tx, memberId)
  if (app === undefined || app.confirmedAt === null) return { ok: true, by: 'none' }
  if (given.passkey !== undefined) {
    return (await usePasskey(tx, memberId, use, given.passkey)) ? { ok: true, by: 'passkey' } : { ok: false, code: 'wrong_passkey' }
  }
  if (given.totp === undefined) {
    return { ok: false, code: (await countPasskeys(tx, memberId)) > 0 ? 'passkey_required' : 'code_required' }
  }
  if (app.passkeysOnly && isAppCode(given.totp)) return { ok: false, code: 'passkeys_only' }
  return useCode(tx, secrets, memberId, app, given.totp)
}

const isAppCode = (code: string): boolean => /^\d{6}$/.test(code)

type CodeUsed = { readonly ok: true; readonly by: 'app' | 'recovery' } | { readonly ok: false; readonly code: 'wrong_code' }

/** Checks a code of a locked app, or a recovery code, and uses it up. */
export async function useCode(tx: Tx, secrets: SecretStore, memberId: bigint, app: Enrolment, code: string): Promise<CodeUsed> {
  if (isAppCode(code)) {
    return (await useTotp(tx, secrets, memberId, app, code)) ? { ok: true, by: 'app' } : { ok: false, code: 'wrong_code' }
  }
  const used = await tx.query(
    sql`delete from staff_recovery_code where member_id = ${memberId}::bigint and code_hash = ${hashOfRecovery(code)}::bytea returning 1`,
  )
  return used.length === 1 ? { ok: true, by: 'recovery' } : { ok: false, code: 'wrong_code' }
}

export type CodeLimit = ReturnType<typeof createCodeLimit>
type Answered = { readonly ok: true } | { readonly ok: false; readonly code: RefusalCode }
type Who = Pick<Credentials, 'id' | 'browser'>

/** Runs work that checks a code, within the limit of wrong ones. */
export const createCodeLimit =
  (db: Db, rules: LimitRules) =>
  <A extends Answered>(who: Who, source: Source, work: () => Promise<A>) =>
    limitAttempts(
      db,
      rules.wrongCode(who.id, source, who.browser ?? undefined),
      work,
      (answer) => !answer.ok && answer.code === 'wrong_code',
    )

const RECOVERY_CODES = 8
const GROUPS = 6
// No letters and digits that look alike. Each adds 4.95 bits: 24 of them are more than the 112 bits that a plain hash needs.
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
export const makeGroup = (): string => Array.from({ length: 4 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
const hashOfRecovery = (code: string): Buffer =>
  createHash('sha256')
    .update(`recovery code ${code.replaceAll('-', '')}`)
    .digest()

/** New recovery codes in place of all earlier ones. They are returned once and stored only as hashes. */
export async function replaceRecoveryCodes(tx: Tx, memberId: bigint): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => Array.from({ length: GROUPS }, makeGroup).join('-'))
  await tx.query(sql`delete from staff_recovery_code where member_id = ${memberId}::bigint`)
  await tx.query(sql`
    insert into staff_recovery_code (member_id, code_hash)
    select ${memberId}::bigint, h from unnest(${codes.map(hashOfRecovery)}::bytea[]) h`)
  return codes
}

export const countRecoveryCodes = async (from: Queryable, memberId: bigint): Promise<number> =>
  (await from.one<{ n: number }>(sql`select count(*)::int as n from staff_recovery_code where member_id = ${memberId}::bigint`)).n

/** Removes the app with its recovery codes and passkeys; false where no app was confirmed, and a setup that has begun stays. */
export async function removeTotp(tx: Tx, memberId: bigint): Promise<boolean> {
  const removed = await tx.query(sql`delete from staff_totp where member_id = ${memberId}::bigint and confirmed_at is not null returning 1`)
  return removed.length > 0
}

/** Removes everything of an app, also a setup that has only begun. */
export async function forgetTotp(tx: Tx, memberId: bigint): Promise<void> {
  await tx.query(sql`delete from staff_totp where member_id = ${memberId}::bigint`)
}
