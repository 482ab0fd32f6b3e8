/**
 * Values from earlier answers: ids by their list, days, cursors, orders.
 * - Requests use these values, so most of them name existing things.
 */
import type { Dice } from '../faults/random.ts'

export type Known = ReturnType<typeof createKnown>

const KEPT_MAX = 120
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const HEX64 = /^[0-9a-f]{64}$/
const ORDER = /^[0-9a-f]{32}$|^strange_/
const DAY = /^\d{4}-\d{2}-\d{2}$/
const RECEIPTS = ['/admin/uploads', '/admin/receipts', '/receipts']
/** Lists whose items other paths name. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  '/impact/stories-admin': ['/impact/stories'],
  '/admin/staff': ['/admin/invitations'],
  '/wallet/withdrawals': ['/admin/withdrawals'],
  '/wallet/withdraw': ['/admin/withdrawals'],
  '/wallet/refunds': ['/admin/refunds'],
}

/** `/admin/withdrawals` of `/admin/withdrawals/{id}/approve` and of `/admin/withdrawals/approve`. */
export const listOf = (path: string): string => /^\/(?:admin|impact|wallet|user|public)?\/?[\w-]+/.exec(path)?.[0] ?? path

export function createKnown(dice: Dice) {
  const pools = new Map<string, string[]>()
  const put = (pool: string, value: string): void => {
    const kept = pools.get(pool) ?? []
    pools.set(pool, kept)
    if (kept.includes(value)) return
    if (kept.length < KEPT_MAX) kept.push(value)
    else kept[dice.below(KEPT_MAX)] = value
  }
  const hear = (value: unknown, path: string, name: string): void => {
    if (Array.isArray(value)) for (const item of value) hear(item, path, name)
    else if (typeof value === 'object' && value !== null) for (const [key, item] of Object.entries(value)) hear(item, path, key)
    if (typeof value !== 'string') return
    const list = listOf(path)
    if (name === 'nextCursor') put(`cursor ${path}`, value)
    else if (name === 'id') for (const pool of [list, ...(ALSO[list] ?? [])]) put(pool, value)
    if (name === 'hash' && HEX64.test(value)) for (const pool of RECEIPTS) put(pool, value)
    if (UUID.test(value)) put('uuid', value)
    if (HEX64.test(value)) put('hash', value)
    if (ORDER.test(value)) put('order', value)
    if (DAY.test(value)) put('day', value)
  }
  return {
    put,
    /** Collects the values of an accepted answer. */
    hear: (answer: unknown, path: string): void => hear(answer, path, ''),
    /** One of these values; an unknown one if there are none. */
    any: (pool: string): string => {
      const kept = pools.get(pool) ?? []
      return kept.length === 0 ? '00000000-0000-4000-8000-000000000000' : dice.pick(kept)
    },
  }
}
