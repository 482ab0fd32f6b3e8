/**
 * `npm run ticket-key -- <member>`: says which ticket keys of a member can be read (docs/runbooks/parked-work.md).
 * - `put <day> <value>` puts a lost key back: its sealed value out of a backup, or the key of the member's device.
 * - `new` replaces a key that nobody has any more, for a member who entered none of the days without books.
 * - Each change leaves an entry of the system in the audit log.
 * - Exit code: 0 if every key can be read or the change was made, 1 if not, 2 if the database could not be read.
 */
import { connect, type Db } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { ensureSecretKey } from '../secrets/secret-key.ts'
import { createSecrets, type Secrets } from '../secrets/secrets.ts'
import { audit } from '../staff/audit-log.ts'
import { listKeys, putKeyBack, replaceLostKey } from '../tickets/lost-keys.ts'
import { onDatabase } from './command-database.ts'
import type { ResealTarget } from './reseal.ts'

const USAGE = 'npm run ticket-key -- MEMBER · npm run ticket-key -- MEMBER put DAY VALUE · npm run ticket-key -- MEMBER new'
const FIRST = 'beginning'
const WHY = {
  no_such_row: 'This member has no such key.',
  readable: 'This key can be read: nothing is to do.',
  not_their_key: 'This is not the key of this member: nothing was changed.',
  joined: 'This member has joined a day that would get the new key, and the receipt names the old one: put the old key back.',
} as const

type Asked = { readonly memberId: bigint; readonly action: 'list' | 'new' | { readonly day: string; readonly value: Buffer } }

/** Undefined: these words mean nothing. A value is 32 bytes, or the 65 of a sealed key, in hex. */
function read(words: readonly string[]): Asked | undefined {
  const [member = '', action, day = '', value = ''] = words
  if (!/^\d{1,18}$/.test(member)) return undefined
  const memberId = BigInt(member)
  if (action === undefined) return { memberId, action: 'list' }
  if (action === 'new') return words.length === 2 ? { memberId, action } : undefined
  const isWhole = action === 'put' && words.length === 4 && /^([0-9a-f]{64}|[0-9a-f]{130})$/.test(value)
  if (!isWhole || !(day === FIRST || /^\d{4}-\d\d-\d\d$/.test(day))) return undefined
  return { memberId, action: { day: day === FIRST ? '-infinity' : day, value: Buffer.from(value, 'hex') } }
}

export async function ticketKeyNow(target: ResealTarget & { readonly words: readonly string[] }): Promise<0 | 1 | 2> {
  const { say, dataDir, secretKey, secretKeyOld, words } = target
  const asked = read(words)
  if (asked === undefined) {
    say(USAGE)
    return 1
  }
  const done = await onDatabase(target, async (url) => {
    const db = connect({ url, max: 1, named: target.namedStatements, applicationName: 'roz-ticket-key' })
    try {
      const secrets = createSecrets({ secretKey: secretKey ?? (await ensureSecretKey(dataDir)), secretKeyOld })
      return asked.action === 'list' ? await list(db, secrets, asked.memberId, say) : await change(db, secrets, asked, say)
    } finally {
      await db.close()
    }
  })
  return done ?? 2
}

async function list(db: Db, secrets: Secrets, memberId: bigint, say: (line: string) => void): Promise<0 | 1> {
  const keys = await listKeys(db, secrets, memberId)
  for (const { servesFrom, custodial, sealed, isReadable } of keys) {
    const day = servesFrom === '-infinity' ? FIRST : servesFrom
    say(`${day}  ${custodial ? 'custodial' : "the member's own"}  ${isReadable ? sealed.toString('hex') : 'CANNOT BE READ'}`)
  }
  if (keys.length === 0) say(WHY.no_such_row)
  return keys.length > 0 && keys.every(({ isReadable }) => isReadable) ? 0 : 1
}

async function change(db: Db, secrets: Secrets, { memberId, action }: Asked, say: (line: string) => void): Promise<0 | 1> {
  if (action === 'list') return 1
  const changed = await inTransaction(db, async (tx) => {
    const done =
      action === 'new'
        ? await replaceLostKey(tx, secrets, memberId)
        : await putKeyBack(tx, secrets, { memberId, servesFrom: action.day }, action.value)
    if (!done.ok) return done
    const from = done.value?.from ?? (action === 'new' ? undefined : action.day)
    await audit(tx, {
      actorId: undefined,
      action: `ticket_key.${action === 'new' ? 'new' : 'put'}`,
      subject: `member:${memberId}`,
      after: { from },
    })
    return done
  })
  if (!changed.ok) {
    say(WHY[changed.code])
    return 1
  }
  say(
    action === 'new'
      ? `The member has a new key from ${changed.value?.from} on. Tell them: the parts and tickets of earlier days need the old one.`
      : 'The key is back in its row.',
  )
  return 0
}
