/**
 * `roz restore finish [--checkpoint FILE|ADDRESS] [--orders FILE] [--transfers FILE]`: updates a restored database with everything
 * that the gateway and the public have seen since the restored second. Run it before a server starts on the database.
 * - The gateway is asked about every order, withdrawal and refund that is not ended here, and about each order of the file. The server
 *   asks when it runs: paid money is credited to the wallet, or booked to SUSPENSE if this database lacks the order.
 * - The gateway is asked about every mandate of AutoPay. A debit that this database lacks is taken over, so no second one is raised.
 * - A transfer of the file that this database lacks becomes a withdrawal again under its old id. So the member cannot withdraw that money
 *   twice. The gateway's answer ends it.
 * - People whom owners removed after the restored second are in the team again. Every staff session ends, and the command lists the team.
 * - Until it ends with 0 no server starts on a restored database. A repeated run changes nothing more.
 * - Exit code: 0 if everything was joined, 1 if a person must look, 2 for wrong arguments or files.
 */
import { readFile } from 'node:fs/promises'
import { formatPaise } from '@roz/core/money.ts'
import { findUnjoined, noteJoined } from '../db/restored.ts'
import { type Db, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { askAnyway } from '../features/payouts/checks.ts'
import { scheduleCheck } from '../features/wallet/orders.ts'
import { askAllMandates } from '../ledger/autopay.ts'
import { holdWithdrawal } from '../ledger/withdrawals.ts'
import { type CommandTarget, onDatabase, reasonOf } from './command-database.ts'
import { compareCheckpoint } from './later-checkpoint.ts'
import { type Sent, transfersIn } from './transfers-list.ts'
import { pairsOf } from './arguments.ts'

const USAGE =
  'roz restore finish [--checkpoint FILE|https://…/api/public/log/checkpoint] [--orders FILE] [--transfers FILE] (lists of the gateway, as CSV)'

export async function afterRestoreNow(target: CommandTarget, words: readonly string[]): Promise<0 | 1 | 2> {
  const { say } = target
  const given = pairsOf(words, ['checkpoint', 'orders', 'transfers'], [])
  if (given === undefined) {
    say(USAGE)
    return 2
  }
  try {
    const orders = given.orders === undefined ? [] : idsIn(await readFile(given.orders, 'utf8'))
    const listed = given.transfers === undefined ? { sent: [] } : transfersIn(await readFile(given.transfers, 'utf8'))
    if ('problem' in listed) {
      say(`${given.transfers ?? ''}: ${listed.problem}`)
      return 2
    }
    const transfers = listed.sent
    const done = await onDatabase(target, { name: 'after-restore' }, (db) =>
      run({ db, say }, { checkpoint: given.checkpoint, orders, transfers }),
    )
    return done === undefined ? 2 : done ? 0 : 1
  } catch (error) {
    say(`Not everything was joined: ${reasonOf(error)}. Run it again: it continues.`)
    return 2
  }
}

type Deps = { readonly db: Db; readonly say: (line: string) => void }
type Given = { readonly checkpoint: string | undefined; readonly orders: readonly string[]; readonly transfers: readonly Sent[] }

async function run({ db, say }: Deps, { checkpoint, orders, transfers }: Given): Promise<boolean> {
  let isWell = true
  if (checkpoint === undefined) say('No checkpoint was given: whether others have seen more of the log is unknown.')
  else {
    const { isSafe, line } = await compareCheckpoint(db, checkpoint)
    say(line)
    isWell = isSafe
  }
  for (const sent of transfers) isWell = (await remember({ db, say }, sent)) && isWell
  const open = await db.query<{ id: string }>(
    sql`select order_id as id from topup where status in ('created', 'pending', 'failed') and created_at > roz_now() - interval '30 days'`,
  )
  const asked = new Set([...open.map(({ id }) => id), ...orders])
  for (const id of asked) await scheduleCheck(db, id, 0)
  const leaving = await db.query<{ id: string; kind: 'withdrawal' | 'refund' }>(sql`
    select id, 'withdrawal' as kind from withdrawal where status in ('requested', 'approved', 'sending') and shown_to is null
    union all select id, 'refund' from refund where status in ('requested', 'approved', 'sending')`)
  for (const due of leaving) await askAnyway(db, due)
  const mandates = await askAllMandates(db)
  await endStaffSessions({ db, say })
  say(`The server will ask the gateway about ${asked.size} orders and ${leaving.length} withdrawals and refunds when it runs.`)
  if (mandates > 0) say(`AutoPay: it asks about ${mandates} mandates, and debits none of them before the gateway has answered.`)
  if (isWell) await noteJoined(db)
  else if ((await findUnjoined(db)) !== undefined)
    say('No server starts on this database until a run ends with exit code 0. Take a line that a person has settled out of its file.')
  return isWell
}

/** The restore undoes removals and revocations after the second, and only people know them. */
async function endStaffSessions({ db, say }: Deps): Promise<void> {
  const { length: ended } = await db.query(sql`delete from session where kind = 'admin' returning 1`)
  const team = await db.query<{ name: string; role: string }>(
    sql`select name, staff_role as role from member where role = 'admin' and deleted_at is null order by id`,
  )
  say(`${ended} sessions of staff were ended. The team of that second: ${team.map(({ name, role }) => `${name} (${role})`).join(', ')}.`)
  say(
    'Removed since, revoked since, closed since, held since: it is undone here. Do it again before others reach the site, as docs/runbooks/restore.md says.',
  )
}

/** Makes a forgotten withdrawal again. False: a person must look. */
async function remember({ db, say }: Deps, { id, amount, beneficiaryId }: Sent): Promise<boolean> {
  const isKnown = await db.query(sql`select from withdrawal where id = ${id}::uuid`)
  if (isKnown.length > 0) return true
  const accounts = await db.query<{ id: bigint; memberId: bigint }>(sql`
    select min(id) as id, member_id as "memberId" from bank_account
     where ${beneficiaryId}::text in ('b' || left(encode(account_mac, 'hex'), 40), beneficiary_id) group by member_id`)
  const [account, other] = accounts
  const what = `The gateway sent ${formatPaise(amount)} as ${id}, which this database has forgotten`
  if (account === undefined || other !== undefined) {
    say(`${what}, and ${account === undefined ? 'no member' : 'more than one member'} has its bank account: a person must look.`)
    return false
  }
  const { memberId } = account
  const held = await inTransaction(db, (tx) => holdWithdrawal(tx, { id, memberId, amount, bankAccountId: account.id }))
  say(
    held.ok
      ? `${what}: it is a withdrawal of member ${memberId} again.`
      : `${what}, of member ${memberId} (${held.code}): a person must look.`,
  )
  return held.ok
}

const HEX = /\b[0-9a-f]{32}\b/g
const idsIn = (text: string): string[] => [...new Set(text.match(HEX) ?? [])]
