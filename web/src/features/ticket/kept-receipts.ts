/**
 * Receipts that this device keeps: the answer to a join says that the rupee was taken, and a server
 * that later knows nothing of it is convicted by it. Kept for two weeks under the member's id.
 */
import type { Api, Output } from '@roz/contract/api.ts'

export type KeptReceipt = Output<Api['joinRound']>['ticket']

const KEPT_MAX = 14
const slot = (memberId: string): string => `roz-receipts:${memberId}`

function read(memberId: string): readonly KeptReceipt[] {
  try {
    return JSON.parse(localStorage.getItem(slot(memberId)) ?? '[]') as readonly KeptReceipt[]
  } catch {
    return []
  }
}

export const keptReceipt = (memberId: string, day: string): KeptReceipt | undefined => read(memberId).find((one) => one.day === day)

export function keepReceipt(memberId: string, { day, ticket, receipt }: KeptReceipt): void {
  // The first one counts: what the server says later must not replace what it said then.
  if (keptReceipt(memberId, day) !== undefined) return
  const all = [...read(memberId), { day, ticket, receipt }].toSorted((a, b) => (a.day < b.day ? -1 : 1))
  try {
    localStorage.setItem(slot(memberId), JSON.stringify(all.slice(-KEPT_MAX)))
  } catch {
    // Storage is shut: the server's own copy is all there is.
  }
}
