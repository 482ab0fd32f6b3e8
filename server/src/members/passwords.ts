/**
 * Passwords: Argon2id, 19 MiB, two passes, one lane (12 ms a hash). Invariants: a password is never
 * logged or kept; checking costs one hash whether or not there is an account, so that the time of the
 * answer does not tell which addresses are known; at most three hashes run at once in this process.
 */
import { type Algorithm, hash, verify } from '@node-rs/argon2'
import { createGate } from '../http/concurrency-limit.ts'

const OPTIONS = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

const gate = createGate({ inFlightMax: 3, waitingMax: 256 })

/** The same characters typed on another keyboard are the same password. */
const bytesOf = (password: string): Buffer => Buffer.from(password.normalize('NFC'))

export const hashPassword = (password: string): Promise<string> => gate(() => hash(bytesOf(password), OPTIONS))

// The hash of a random text that nobody kept: what unknown accounts are compared with.
const NOBODYS = '$argon2id$v=19$m=19456,t=2,p=1$zK1U6gb7ItUe+NRBF/Xwkg$dgQ7zPJ34eekAiZlldouitH6U2CGMYJYEQWBXGEOCBA'

/** Whether it is the password of that hash; `undefined` for an account without one, at the same cost. */
export async function isPassword(stored: string | undefined, password: string): Promise<boolean> {
  const matches = await gate(() => verify(stored ?? NOBODYS, bytesOf(password)))
  return stored !== undefined && matches
}
