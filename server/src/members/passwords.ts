/**
 * Hashes and checks passwords with Argon2id: 19 MiB, two passes, one lane, 12 ms per hash.
 * - A password is never logged or stored.
 * - A check costs one hash with or without an account, so the response time does not reveal which addresses exist.
 * - At most three hashes run at once in this process.
 */
import { type Algorithm, hash, verify } from '@node-rs/argon2'
import { createGate } from '../protection/concurrency-limit.ts'

const OPTIONS = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

const gate = createGate({ inFlightMax: 3, waitingMax: 256 })
let hashes = 0
/** The hashes that this process has begun, each of the same cost: two requests with as many cannot be told apart by their time. */
export const countHashes = (): number => hashes
const hashing = <T>(work: () => Promise<T>): Promise<T> =>
  gate(() => {
    hashes++
    return work()
  })

/** Unicode NFC: the same characters from different keyboards are the same password. */
const bytesOf = (password: string): Buffer => Buffer.from(password.normalize('NFC'))

export const hashPassword = (password: string): Promise<string> => hashing(() => hash(bytesOf(password), OPTIONS))

// The hash of a random text that was thrown away. Checks without an account compare with it.
const NOBODYS = '$argon2id$v=19$m=19456,t=2,p=1$zK1U6gb7ItUe+NRBF/Xwkg$dgQ7zPJ34eekAiZlldouitH6U2CGMYJYEQWBXGEOCBA'

/** Whether a hash was made with weaker parameters than today's. A sign-in, which knows the password, then makes a new one. */
export function isWeakHash(stored: string): boolean {
  const [, kind, , parameters = ''] = stored.split('$')
  const of = (name: string): number => Number(new RegExp(`(?:^|,)${name}=(\\d+)`).exec(parameters)?.[1] ?? 0)
  return kind !== 'argon2id' || of('m') < OPTIONS.memoryCost || of('t') < OPTIONS.timeCost
}

/** True if the password has this hash. For an account without a password (`undefined`) it is false, at the same cost. */
export async function isPassword(stored: string | undefined, password: string): Promise<boolean> {
  const matches = await hashing(() => verify(stored ?? NOBODYS, bytesOf(password)))
  return stored !== undefined && matches
}
