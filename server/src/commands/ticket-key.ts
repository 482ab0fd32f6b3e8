/**
 * `roz keys ticket <member>`: says which ticket keys of a member can be read (docs/runbooks/parked-work.md).
 * - `put <day>` puts a lost key back: its encrypted value out of a backup, or the key of the member's device. The value comes from standard
 *   input, because arguments are kept in the shell's history and shown by `ps`.
 * - `new` replaces a key that nobody has any more, for a member who entered none of the days without books; `new despite-receipts` for
 *   one who did.
 * - Each change leaves an entry of the system in the staff log.
 * - Exit code: 0 if every key can be read or the change was made, 1 if not, 2 for wrong arguments or if the database could not be read.
 */
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Db } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { logStaff } from '../staff/staff-log.ts'
import { letJoinIfMended, listKeys, putKeyBack, replaceLostKey } from '../tickets/lost-keys.ts'
import { exitCodeOnDatabase, sameSecrets, type SecretTarget } from './command-database.ts'

const USAGE =
  'roz keys ticket MEMBER · roz keys ticket MEMBER put DAY (then paste the value) · roz keys ticket MEMBER new [despite-receipts]'
const FIRST = 'beginning'
const DESPITE = 'despite-receipts'
const WHY = {
  no_such_row: 'This member has no such key.',
  readable: 'This key can be read: nothing is to do.',
  not_their_key: 'This is not the key of this member: nothing was changed.',
  of_other_days: 'This is a key of the member, but not the one of these days: nothing was changed.',
  joined: `This member has joined a day that would get the new key, and the receipt names the old one: put the old key back. docs/runbooks/parked-work.md says when “new ${DESPITE}” is right.`,
  sealed: 'The lists of the days that this key serves are sealed with its tickets: only the old key can make their books.',
} as const

type Asked = {
  readonly memberId: bigint
  readonly action: 'list' | { readonly put: string } | { readonly new: 'careful' | 'despite receipts' }
}

/** Undefined for unknown arguments. */
function read(words: readonly string[]): Asked | undefined {
  const [member = '', action, detail] = words
  if (!/^\d{1,18}$/.test(member) || words.length > 3) return undefined
  const memberId = BigInt(member)
  if (action === undefined) return { memberId, action: 'list' }
  if (action === 'new' && (detail === undefined || detail === DESPITE))
    return { memberId, action: { new: detail === undefined ? 'careful' : 'despite receipts' } }
  if (action !== 'put' || detail === undefined || !(detail === FIRST || /^\d{4}-\d\d-\d\d$/.test(detail))) return undefined
  return { memberId, action: { put: detail === FIRST ? '-infinity' : detail } }
}

/** The first line: 32 bytes, or the 65 of an encrypted key, in hex. */
async function readValue(input: Readable): Promise<Buffer | undefined> {
  for await (const line of createInterface({ input })) {
    const value = line.trim()
    return /^([0-9a-f]{64}|[0-9a-f]{130})$/.test(value) ? Buffer.from(value, 'hex') : undefined
  }
  return undefined
}

type Target = SecretTarget & { readonly words: readonly string[]; readonly input: Readable }

export async function ticketKeyNow(target: Target): Promise<0 | 1 | 2> {
  const { say, words, input } = target
  const asked = read(words)
  if (asked === undefined) {
    say(USAGE)
    return 2
  }
  const run = async (db: Db): Promise<0 | 1> => {
    const { memberId, action } = asked
    const work = { db, secrets: await sameSecrets(target, db), memberId, say }
    if (action === 'list') return list(work)
    return 'put' in action ? put(work, action.put, input) : replace(work, action.new === 'despite receipts')
  }
  return exitCodeOnDatabase(target, { name: 'ticket-key' }, run, (why) => `The keys could not be read, and nothing was changed: ${why}`)
}

async function list({ db, secrets, memberId, say }: Work): Promise<0 | 1> {
  const keys = await listKeys(db, secrets, memberId)
  for (const { servesFrom, custodial, encrypted, key } of keys)
    say(
      `${dayText(servesFrom)}  ${custodial ? 'custodial' : "the member's own"}  ${key === undefined ? 'CANNOT BE READ' : encrypted.toString('hex')}`,
    )
  if (keys.length === 0) say(WHY.no_such_row)
  if (await inTransaction(db, (tx) => letJoinIfMended(tx, secrets, memberId))) say('The member can join rounds again.')
  return keys.length > 0 && keys.every(({ key }) => key !== undefined) ? 0 : 1
}

type Work = { readonly db: Db; readonly secrets: Secrets; readonly memberId: bigint; readonly say: (line: string) => void }
const dayText = (servesFrom: string): string => (servesFrom === '-infinity' ? FIRST : servesFrom)

async function put({ db, secrets, memberId, say }: Work, servesFrom: string, input: Readable): Promise<0 | 1> {
  say('Paste the value and press Enter:')
  const value = await readValue(input)
  if (value === undefined) {
    say('A value has 64 or 130 characters of 0-9 and a-f: nothing was changed.')
    return 1
  }
  const done = await inTransaction(db, async (tx) => {
    const put = await putKeyBack(tx, secrets, { memberId, servesFrom }, value)
    if (put.ok) await note(tx, memberId, 'put', { from: servesFrom, compared: put.value.compared ?? null })
    return put
  })
  const { compared } = done.ok ? done.value : {}
  if (!done.ok) say(WHY[done.code])
  else if (compared === undefined)
    say(
      'The key is back in its row. No sealed list has a ticket of it yet: it was compared only with the keys that the member has claimed.',
    )
  else say(`The key is back in its row: it makes the member's ticket in the sealed list of ${compared}.`)
  return done.ok ? 0 : 1
}

async function replace({ db, secrets, memberId, say }: Work, despiteReceipts: boolean): Promise<0 | 1> {
  const done = await inTransaction(db, async (tx) => {
    const replaced = await replaceLostKey(tx, secrets, { memberId, despiteReceipts })
    if (replaced.ok) await note(tx, memberId, 'new', replaced.value)
    return replaced
  })
  if (!done.ok) {
    say(WHY[done.code])
    return 1
  }
  const { from, entered, held } = done.value
  say(`The member has a new key from ${from} on. Tell them: the parts and tickets of earlier days need the old one.`)
  if (entered.length > 0)
    say(
      `The member entered ${entered.join(', ')}. A receipt of these days, if there is one, names a ticket that no list will have: tell the member, and say it publicly.`,
    )
  if (held.length > 0) say(`The list of ${held.join(', ')} is sealed with the old key's ticket: its books still wait for the old key.`)
  return 0
}

const note = (tx: Tx, memberId: bigint, action: 'put' | 'new', after: Readonly<Record<string, unknown>>): Promise<void> =>
  logStaff(tx, { actorId: undefined, action: `ticket_key.${action}`, subject: `member:${memberId}`, after })
