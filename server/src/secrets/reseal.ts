/**
 * What a replaced SECRET_KEY leaves behind: every value sealed with SECRET_KEY_OLD is sealed anew with
 * SECRET_KEY, a portion at a time, beside the server; bodies of payment events from before they were sealed
 * are sealed too, whatever the keys. Invariants: a portion is written whole or not at
 * all, and what is left is what an index still finds under the old key, so that whatever stops it goes
 * on where it was, and several may work at once; a value that does not open is told of and left as it
 * is. SECRET_KEY_OLD can go, and is said to, once nothing is left and no call is kept either whose body
 * it alone knows again.
 */
import { isoIst } from '@roz/core/ist-day.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { sealPlainEvents } from '../features/wallet/webhook.ts'
import { isNeededUntil } from '../http/idempotency.ts'
import { countSealedWith, listKeysOf, lockSealedWith, SEALED_COLUMNS, type SealedColumn, type SealedRow } from './sealed-columns.ts'
import type { Secrets } from './secrets.ts'

const PORTION = 500
/** A process that does not know the new key yet may still seal with the old one. */
const LOOK_AGAIN_MS = 60_000

export type ResealDeps = {
  readonly db: Db
  readonly secrets: Secrets
  readonly log: Pick<FastifyBaseLogger, 'info' | 'error'>
  readonly portion?: number
}
/** What a portion did: in which column, and how many values. */
export type Resealed = { readonly name: string; readonly count: number }
/** How far it is, in words for the operator. */
type Verdict = { readonly isSealed: boolean; readonly canGo: boolean; readonly line: string }

export function createReseal({ db, secrets, log, portion = PORTION }: ResealDeps) {
  const [, old] = secrets.keyIds
  const broken = new Map<SealedColumn, string[]>()
  let resealed = 0
  let restsUntilMs = 0
  let told: string | undefined

  /** Seals a portion of a column anew; undefined where nothing of it is left to do. */
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
      log.error({ err: error, column: column.name, context }, 'a sealed value was altered: it cannot be sealed anew')
      return false
    }
  }

  /** One portion; undefined where nothing is left that can be done. */
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

  /** Values that are still sealed with SECRET_KEY_OLD, by column. */
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
      const line = `Left, because they do not open or somebody works on them: ${inWords(left)}.`
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
      // No key was replaced: there is nothing to tell of.
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
  `Everything is sealed with SECRET_KEY. Keep SECRET_KEY_OLD until ${isoIst(until.getTime())}: calls repeated with an Idempotency-Key are known again by it.`

/** What a start cannot open: how many values of which kind are sealed with a key that it was not given. */
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
