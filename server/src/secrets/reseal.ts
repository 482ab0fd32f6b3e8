/**
 * Reseals after a rotation of SECRET_KEY: seals each value of SECRET_KEY_OLD again with SECRET_KEY, while the server runs.
 * - It also seals the bodies of payment events that were stored unsealed, with or without a rotation.
 * - A portion is one transaction. An index finds the values left under the old key, so a reseal can be interrupted and repeated.
 * - Several processes may reseal at once.
 * - A value that does not open is logged and left unchanged.
 * - SECRET_KEY_OLD is declared removable once no value is left and no stored idempotency key depends on it.
 */
import { isoIst } from '@roz/core/ist-day.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { sealPlainEvents } from '../features/wallet/webhook.ts'
import { isNeededUntil } from '../http/idempotency.ts'
import { countSealedWith, listKeysOf, lockSealedWith, SEALED_COLUMNS, type SealedColumn, type SealedRow } from './encrypted-columns.ts'
import type { Secrets } from './secrets.ts'

const PORTION = 500
/** Looks again this often, because a process without the new key may still seal with the old one. */
const LOOK_AGAIN_MS = 60_000

export type ResealDeps = {
  readonly db: Db
  readonly secrets: Secrets
  readonly log: Pick<FastifyBaseLogger, 'info' | 'error'>
  readonly portion?: number
}
/** A column by its name, and a number of values in it. */
export type Resealed = { readonly name: string; readonly count: number }
/** The progress, and a line about it for the operator. */
type Verdict = { readonly isSealed: boolean; readonly canGo: boolean; readonly line: string }

export function createReseal({ db, secrets, log, portion = PORTION }: ResealDeps) {
  const [, old] = secrets.keyIds
  const broken = new Map<SealedColumn, string[]>()
  let resealed = 0
  let restsUntilMs = 0
  let told: string | undefined

  /** Reseals a portion of a column and returns the number of values; undefined where the column has none left. */
  const sealSome = (column: SealedColumn, key: Buffer): Promise<number | undefined> =>
    inTransaction(db, async (tx) => {
      const without = broken.get(column) ?? []
      const rows = await lockSealedWith(tx, column, key, { limit: portion, without })
      if (rows.length === 0) return undefined
      const sound = rows.filter((row) => isSound(column, row))
      if (sound.length > 0) await column.write(tx, secrets, sound)
      return sound.length
    })

  function isSound(column: SealedColumn, { sealed, context }: SealedRow): boolean {
    try {
      secrets.open(sealed, context)
      return true
    } catch (error) {
      broken.set(column, [...(broken.get(column) ?? []), context])
      log.error({ err: error, column: column.name, context }, 'a sealed value was altered: it cannot be sealed again')
      return false
    }
  }

  /** Does one portion; undefined where nothing is left that can be resealed. */
  async function step(): Promise<Resealed | undefined> {
    const count = await sealPlainEvents({ db, secrets }, portion)
    if (count > 0) return { name: 'payment events', count }
    if (old === undefined) return undefined
    for (const column of SEALED_COLUMNS) {
      const count = await sealSome(column, old)
      if (count !== undefined) return { name: column.name, count }
    }
    return undefined
  }

  /** Number of values still sealed with SECRET_KEY_OLD, by column. */
  async function listLeft(): Promise<Resealed[]> {
    const left: Resealed[] = []
    for (const column of SEALED_COLUMNS) {
      const count = old === undefined ? 0 : await countSealedWith(db, column, old)
      if (count > 0) left.push({ name: column.name, count })
    }
    return left
  }

  async function judge(): Promise<Verdict> {
    const left = await listLeft()
    if (left.length > 0) {
      const line = `Left, because they do not open or another process has locked them: ${inWords(left)}.`
      return { isSealed: false, canGo: false, line }
    }
    const until = old === undefined ? undefined : await isNeededUntil(db, old)
    return { isSealed: true, canGo: until === undefined, line: until === undefined ? DONE : keepUntil(until) }
  }

  return {
    step,
    listLeft,
    judge,

    due: async (): Promise<boolean> => {
      if (performance.now() < restsUntilMs) return false
      const done = await step()
      if (done !== undefined) {
        resealed += done.count
        return true
      }
      restsUntilMs = performance.now() + LOOK_AGAIN_MS
      // No rotation: nothing to report.
      if (old === undefined) return false
      const { isSealed, line } = await judge()
      if (isSealed && (line !== told || resealed > 0)) log.info({ resealed }, line)
      told = isSealed ? line : undefined
      resealed = 0
      return false
    },
  }
}

export const DONE = 'Everything is sealed with SECRET_KEY: SECRET_KEY_OLD can be removed.'
const keepUntil = (until: Date): string =>
  `Everything is sealed with SECRET_KEY. Keep SECRET_KEY_OLD until ${isoIst(until.getTime())}: calls repeated with an Idempotency-Key are recognised by it.`

/** Number of values, by column, sealed with a key that is neither SECRET_KEY nor SECRET_KEY_OLD. */
export async function listUnreadable(db: Db, { keyIds }: Pick<Secrets, 'keyIds'>): Promise<Resealed[]> {
  const unreadable: Resealed[] = []
  for (const column of SEALED_COLUMNS) {
    const unknown = (await listKeysOf(db, column)).filter((key) => !keyIds.some((id) => id.equals(key)))
    let count = 0
    for (const key of unknown) count += await countSealedWith(db, column, key)
    if (count > 0) unreadable.push({ name: column.name, count })
  }
  return unreadable
}

/** `4 ticket keys, 1 log keys`. */
export const inWords = (values: readonly Resealed[]): string => values.map(({ name, count }) => `${count} ${name}`).join(', ')
