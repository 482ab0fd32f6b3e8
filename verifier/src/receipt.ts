/** Checks receipts: the log's signed promise that an entry is in the list (spec/protocol.md, chapter 11). */
import { ascii, concat, fromHex, toHex, u64 } from './bytes.ts'
import { day, hash, hex, list, literal, readCanonical, record, whole } from './canonical.ts'
import { isWithinDay } from './day.ts'
import type { KeyChain } from './log.ts'
import { leafHash, rootFromInclusion } from './merkle.ts'
import { isSignature } from './note.ts'

export const receiptShape = record({ count: whole, index: whole, keyId: hex(4), path: list(hash), signature: hex(64), time: whole })
const file = record({ day, receipt: receiptShape, ticket: hash, v: literal(1) })
export type Receipt = ReturnType<typeof receiptShape>
export type ReceiptFile = ReturnType<typeof file>

export const readReceipt = (bytes: Uint8Array): ReceiptFile => readCanonical(bytes, file, 'the receipt')

/** Returns why the receipt is invalid; undefined if it is valid. */
export function receiptProblem({ day: today, receipt, ticket }: Omit<ReceiptFile, 'v'>, chain: KeyChain): string | undefined {
  const { count, index, keyId, path, signature, time } = receipt
  if (!isWithinDay(time, today)) return 'its time is outside its day'
  const named = chain.keys.map((one, at) => ({ ...one, toDay: chain.keys[at + 1]?.fromDay })).filter(({ key }) => toHex(key.id) === keyId)
  if (named.length === 0) return 'it names no key of this log'
  // A stolen key that was replaced must not sign for later days.
  const keys = named.filter(({ fromDay, toDay }) => (fromDay ?? today) <= today && today <= (toDay ?? today))
  if (keys.length === 0) return 'the key that it names was not in force on its day'
  const siblings = path.map((sibling) => fromHex(sibling))
  const root = rootFromInclusion(leafHash(fromHex(ticket)), index, count, siblings)
  if (root === undefined) return 'its path does not fit its place'
  const message = concat(ascii(`roz/v1/receipt\n${today}`), root, u64(time))
  return keys.some(({ key }) => isSignature(fromHex(signature), message, key.publicKey)) ? undefined : 'its signature is not the log’s'
}
