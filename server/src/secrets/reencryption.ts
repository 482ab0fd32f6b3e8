/**
 * After a rotation of SECRET_KEY: encrypts each value of SECRET_KEY_OLD again with SECRET_KEY, while the server runs.
 * - It also encrypts values that were stored in plain text, with or without a rotation.
 * - A portion is one transaction. An index finds the values left under the old key, so the work can be interrupted and repeated.
 * - Several processes may do it at once.
 * - A value that cannot be decrypted is logged and left unchanged.
 * - SECRET_KEY_OLD is declared removable once no value is left and no stored idempotency key depends on it.
 */
import { isoIst } from '@roz/core/ist-day.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { countEncryptedWith, type EncryptedColumn, type EncryptedRow, listKeysOf, lockEncryptedWith } from './encrypted-columns.ts'
import type { Secrets } from './secrets.ts'

const PORTION = 500
/** Looks again this often, because a process without the new key may still encrypt with the old one. */
const LOOK_AGAIN_MS = 60_000

/** The product's encrypted data (encrypted-columns.ts beside services.ts). */
export type EncryptedData = {
  readonly columns: readonly EncryptedColumn[]
  /** Encrypts some values that were stored in plain text; returns how many. */
  readonly encryptPlain: (deps: { readonly db: Db; readonly secrets: Secrets }, limit: number) => Promise<number>
  /** When the last fingerprint that has no column of its own stops to need this key. */
  readonly isNeededUntil: (db: Db, key: Buffer) => Promise<Date | undefined>
}
type ReencryptionDeps = {
  readonly db: Db
  readonly secrets: Secrets
  readonly data: EncryptedData
  readonly log: Pick<FastifyBaseLogger, 'info' | 'error'>
  readonly portion?: number
}
/** A column by its name, and a number of values in it. */
type CountedColumn = { readonly name: string; readonly count: number }
/** The progress, and a line about it for the operator. */
type Verdict = { readonly isDone: boolean; readonly canGo: boolean; readonly line: string }

export function createReencryption({ db, secrets, data, log, portion = PORTION }: ReencryptionDeps) {
  const [, old] = secrets.keyIds
  const broken = new Map<EncryptedColumn, string[]>()
  let encrypted = 0
  let restsUntilMs = 0
  let told: string | undefined

  /** Encrypts a portion of a column again and returns the number of values; undefined where the column has none left. */
  const encryptSome = (column: EncryptedColumn, key: Buffer): Promise<number | undefined> =>
    inTransaction(db, async (tx) => {
      const without = broken.get(column) ?? []
      const rows = await lockEncryptedWith(tx, column, key, { limit: portion, without })
      if (rows.length === 0) return undefined
      const sound = rows.filter((row) => isSound(column, row))
      if (sound.length > 0) await column.write(tx, secrets, sound)
      return sound.length
    })

  function isSound(column: EncryptedColumn, { sealed, context }: EncryptedRow): boolean {
    try {
      secrets.decrypt(sealed, context)
      return true
    } catch (error) {
      broken.set(column, [...(broken.get(column) ?? []), context])
      log.error({ err: error, column: column.name, context }, 'an encrypted value was altered: it cannot be encrypted again')
      return false
    }
  }

  /** Does one portion; undefined where nothing is left that can be encrypted again. */
  async function step(): Promise<CountedColumn | undefined> {
    const count = await data.encryptPlain({ db, secrets }, portion)
    if (count > 0) return { name: 'payment events', count }
    if (old === undefined) return undefined
    for (const column of data.columns) {
      const count = await encryptSome(column, old)
      if (count !== undefined) return { name: column.name, count }
    }
    return undefined
  }

  /** Number of values still encrypted with SECRET_KEY_OLD, by column. */
  async function listLeft(): Promise<CountedColumn[]> {
    const left: CountedColumn[] = []
    for (const column of data.columns) {
      const count = old === undefined ? 0 : await countEncryptedWith(db, column, old)
      if (count > 0) left.push({ name: column.name, count })
    }
    return left
  }

  async function judge(): Promise<Verdict> {
    const left = await listLeft()
    if (left.length > 0) {
      const line = `Left, because they cannot be decrypted or another process has locked them: ${inWords(left)}.`
      return { isDone: false, canGo: false, line }
    }
    const until = old === undefined ? undefined : await data.isNeededUntil(db, old)
    return { isDone: true, canGo: until === undefined, line: until === undefined ? DONE : keepUntil(until) }
  }

  return {
    step,
    listLeft,
    judge,

    due: async (): Promise<boolean> => {
      if (performance.now() < restsUntilMs) return false
      const done = await step()
      if (done !== undefined) {
        encrypted += done.count
        return true
      }
      restsUntilMs = performance.now() + LOOK_AGAIN_MS
      // No rotation: nothing to report.
      if (old === undefined) return false
      const { isDone, line } = await judge()
      if (isDone && (line !== told || encrypted > 0)) log.info({ encrypted }, line)
      told = isDone ? line : undefined
      encrypted = 0
      return false
    },
  }
}

export const DONE = 'Everything is encrypted with SECRET_KEY: SECRET_KEY_OLD can be removed.'
const keepUntil = (until: Date): string =>
  `Everything is encrypted with SECRET_KEY. Keep SECRET_KEY_OLD until ${isoIst(until.getTime())}: calls repeated with an Idempotency-Key are recognised by it.`

/** Number of values, by column, encrypted with a key that is neither SECRET_KEY nor SECRET_KEY_OLD. */
export async function listUnreadable(
  db: Db,
  { keyIds }: Pick<Secrets, 'keyIds'>,
  columns: readonly EncryptedColumn[],
): Promise<CountedColumn[]> {
  const unreadable: CountedColumn[] = []
  for (const column of columns) {
    const unknown = (await listKeysOf(db, column)).filter((key) => !keyIds.some((id) => id.equals(key)))
    let count = 0
    for (const key of unknown) count += await countEncryptedWith(db, column, key)
    if (count > 0) unreadable.push({ name: column.name, count })
  }
  return unreadable
}

/** `4 ticket keys, 1 log keys`. */
export const inWords = (values: readonly CountedColumn[]): string => values.map(({ name, count }) => `${count} ${name}`).join(', ')
