/**
 * Passkeys of staff (WebAuthn, level 2): a second factor that a copied page cannot use, because the browser signs the page's origin.
 *
 * - A challenge has 256 random bits, works once within five minutes, and only for its account, purpose and session.
 * - The authenticator must have verified its person, by a PIN, a finger or a face.
 * - An authenticator's counter never goes back. A check and the counter's new value are one transaction, under the lock of the account.
 * - Which maker built an authenticator is not asked (attestation "none"). A certificate in its answer is refused unread: checking one
 *   would call addresses that the answer names.
 * - The library takes 30 MB and half a second, so it is loaded when the first challenge is made.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type Queryable, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'

const CHALLENGE_LASTS = sql`interval '5 minutes'`
const CHALLENGE_MS = 300_000
/** Open challenges of an account for one purpose; a new one ends the oldest. */
const CHALLENGES_MAX = 10
/** EdDSA, ES256, RS256: every authenticator has one of them. */
const ALGORITHMS = [-8, -7, -257]

export type SignedByPasskey = {
  readonly id: string
  readonly response: { readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string }
}
type Made = { readonly id: string; readonly response: { readonly clientDataJSON: string; readonly attestationObject: string } }
export type Purpose = { readonly purpose: 'login' } | { readonly purpose: 'add' | 'step_up'; readonly tokenHash: Buffer }
/** Where the page is: the browser signs it. */
export type Place = { readonly origin: string }

const library = () => import('@simplewebauthn/server')
const helpers = () => import('@simplewebauthn/server/helpers')
const rpIdOf = (origin: string): string => new URL(origin).hostname

const tokenOf = (use: Purpose): Buffer | null => (use.purpose === 'login' ? null : use.tokenHash)

/** Loads what checks the answer, before the transaction that needs it. */
export const loadPasskeys = async (): Promise<void> => void (await Promise.all([library(), helpers()]))

/** A new challenge in base64url. The account is locked. */
async function makeChallenge(tx: Tx, memberId: bigint, use: Purpose): Promise<string> {
  const challenge = randomBytes(32)
  await tx.query(sql`
    delete from staff_passkey_challenge where challenge in (
      select challenge from staff_passkey_challenge where member_id = ${memberId}::bigint and purpose = ${use.purpose}::text
       order by expires_at desc, challenge offset ${CHALLENGES_MAX - 1}::int)`)
  await tx.query(sql`
    insert into staff_passkey_challenge (challenge, member_id, purpose, token_hash, expires_at)
    values (${challenge}::bytea, ${memberId}::bigint, ${use.purpose}::text, ${tokenOf(use)}::bytea, roz_now() + ${CHALLENGE_LASTS})`)
  return challenge.toString('base64url')
}

/** Uses up the challenge that an answer names; undefined where it is none of this account, purpose and session. */
async function useChallenge(tx: Tx, memberId: bigint, use: Purpose, clientDataJSON: string): Promise<string | undefined> {
  const { challenge, crossOrigin } = clientDataOf(clientDataJSON)
  const bytes = Buffer.from(typeof challenge === 'string' ? challenge : '', 'base64url')
  const used = await tx.query(sql`
    delete from staff_passkey_challenge
     where challenge = ${bytes}::bytea and member_id = ${memberId}::bigint and purpose = ${use.purpose}::text
       and token_hash is not distinct from ${tokenOf(use)}::bytea and expires_at > roz_now() returning 1`)
  // The portal is never in a foreign page's frame.
  return used.length === 1 && crossOrigin !== true ? bytes.toString('base64url') : undefined
}

type ClientData = { readonly challenge?: unknown; readonly crossOrigin?: unknown }
function clientDataOf(clientDataJSON: string): ClientData {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'))
    return typeof data === 'object' && data !== null ? data : {}
  } catch {
    return {}
  }
}

type Key = { readonly id: string; readonly publicKey: Buffer; readonly counter: bigint }

/** Checks a passkey of a locked account, and uses its challenge up; false where anything of it is wrong. */
export async function usePasskey(tx: Tx, memberId: bigint, use: Purpose & Place, answer: SignedByPasskey): Promise<boolean> {
  const expectedChallenge = await useChallenge(tx, memberId, use, answer.response.clientDataJSON)
  if (expectedChallenge === undefined) return false
  const key = await tx.maybeOne<Key>(sql`select id, public_key as "publicKey", counter from staff_passkey
        where member_id = ${memberId}::bigint and credential_id = ${Buffer.from(answer.id, 'base64url')}::bytea for update`)
  if (key === undefined) return false
  const { verifyAuthenticationResponse } = await library()
  const checked = await orUndefined(() =>
    verifyAuthenticationResponse({
      response: { ...answer, rawId: answer.id, type: 'public-key', clientExtensionResults: {} },
      expectedChallenge,
      expectedOrigin: use.origin,
      expectedRPID: rpIdOf(use.origin),
      requireUserVerification: true,
      credential: { id: answer.id, publicKey: new Uint8Array(key.publicKey), counter: Number(key.counter) },
    }),
  )
  if (checked?.verified !== true) return false
  const counter = checked.authenticationInfo.newCounter
  await tx.query(sql`update staff_passkey set counter = ${counter}::bigint, used_at = roz_now() where id = ${key.id}::uuid`)
  return true
}

/** Checks a new passkey of a locked account and stores it; undefined where anything of it is wrong. */
export async function addPasskey(tx: Tx, memberId: bigint, use: Purpose & Place, name: string, answer: Made): Promise<string | undefined> {
  const expectedChallenge = await useChallenge(tx, memberId, use, answer.response.clientDataJSON)
  if (expectedChallenge === undefined || !(await isWithoutCertificate(answer))) return undefined
  const { verifyRegistrationResponse } = await library()
  const checked = await orUndefined(() =>
    verifyRegistrationResponse({
      response: { ...answer, rawId: answer.id, type: 'public-key', clientExtensionResults: {} },
      expectedChallenge,
      expectedOrigin: use.origin,
      expectedRPID: rpIdOf(use.origin),
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  )
  if (checked?.verified !== true || checked.registrationInfo.credential.id !== answer.id) return undefined
  const { credential } = checked.registrationInfo
  // A credential of somebody else is refused like any other wrong answer.
  const added = await tx.maybeOne<{ id: string }>(sql`insert into staff_passkey (member_id, credential_id, public_key, counter, name)
        values (${memberId}::bigint, ${Buffer.from(credential.id, 'base64url')}::bytea, ${Buffer.from(credential.publicKey)}::bytea,
          ${credential.counter}::bigint, ${name}::text)
        on conflict (credential_id) do nothing returning id`)
  return added?.id
}

async function isWithoutCertificate({ response }: Made): Promise<boolean> {
  const { decodeAttestationObject } = await helpers()
  const decoded = await orUndefined(async () =>
    decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, 'base64url'))),
  )
  if (decoded === undefined) return false
  const statement = decoded.get('attStmt')
  return decoded.get('fmt') === 'none' || (decoded.get('fmt') === 'packed' && statement.get('x5c') === undefined)
}

/** The library throws for each wrong answer. */
async function orUndefined<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch {
    return undefined
  }
}

export type OwnKey = { readonly id: string; readonly name: string; readonly addedAt: Date; readonly usedAt: Date | null }
export const listPasskeys = (from: Queryable, memberId: bigint): Promise<OwnKey[]> =>
  from.query<OwnKey>(
    sql`select id, name, created_at as "addedAt", used_at as "usedAt" from staff_passkey where member_id = ${memberId}::bigint order by created_at, id`,
  )
export const countPasskeys = async (from: Queryable, memberId: bigint): Promise<number> =>
  (await from.one<{ n: number }>(sql`select count(*)::int as n from staff_passkey where member_id = ${memberId}::bigint`)).n

const credentialsOf = async (tx: Tx, memberId: bigint): Promise<{ type: 'public-key'; id: string }[]> =>
  (
    await tx.query<{ id: Buffer }>(
      sql`select credential_id as id from staff_passkey where member_id = ${memberId}::bigint order by created_at`,
    )
  ).map(({ id }) => ({ type: 'public-key', id: id.toString('base64url') }))

/** Options with which the browser uses a passkey (PublicKeyCredentialRequestOptionsJSON); undefined for an account without a passkey. */
export async function requestOptions(tx: Tx, memberId: bigint, use: Purpose & Place) {
  const allowCredentials = await credentialsOf(tx, memberId)
  if (allowCredentials.length === 0) return undefined
  const challenge = await makeChallenge(tx, memberId, use)
  return { challenge, timeout: CHALLENGE_MS, rpId: rpIdOf(use.origin), allowCredentials, userVerification: 'required' as const }
}

/** Options with which the browser makes a passkey (PublicKeyCredentialCreationOptionsJSON). */
export async function creationOptions(
  tx: Tx,
  account: { readonly id: bigint; readonly email: string },
  use: Purpose & Place,
  brandName: string,
) {
  const challenge = await makeChallenge(tx, account.id, use)
  return {
    challenge,
    timeout: CHALLENGE_MS,
    rp: { id: rpIdOf(use.origin), name: brandName },
    // The authenticator keeps this id with the key; it says nothing to others.
    user: {
      id: createHash('sha256').update(`passkeys of ${account.id}`).digest('base64url'),
      name: account.email,
      displayName: account.email,
    },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
    excludeCredentials: await credentialsOf(tx, account.id),
    authenticatorSelection: { residentKey: 'discouraged' as const, userVerification: 'required' as const },
    attestation: 'none' as const,
  }
}
