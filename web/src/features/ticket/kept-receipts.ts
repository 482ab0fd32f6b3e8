/**
 * Keeps the receipts of the member's last 14 entries on this device until the session ends.
 * - A receipt proves that the server took the entry, even if the server denies it later.
 */
import type { Api, Output } from '@roz/contract/api.ts'
import { keepOwn, readOwn } from '../../app/own-memory.ts'

export type KeptReceipt = Output<Api['joinRound']>['ticket']

const KEPT_MAX = 14

function read(memberId: string): readonly KeptReceipt[] {
  try {
    return JSON.parse(readOwn('roz-receipts', memberId) ?? '[]') as readonly KeptReceipt[]
  } catch {
    return []
  }
}

export const keptReceipt = (memberId: string, day: string): KeptReceipt | undefined => read(memberId).find((one) => one.day === day)

/** An older server's answer has none. */
export function keepReceipt(memberId: string, given: KeptReceipt | undefined): void {
  if (given === undefined) return
  const { day, ticket, receipt } = given
  // The first receipt of a day is kept: a later answer of the server must not replace it.
  if (keptReceipt(memberId, day) !== undefined) return
  const all = [...read(memberId), { day, ticket, receipt }].toSorted((a, b) => (a.day < b.day ? -1 : 1))
  keepOwn('roz-receipts', memberId, JSON.stringify(all.slice(-KEPT_MAX)))
}
