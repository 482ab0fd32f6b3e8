/**
 * Starts the recording proxy and checks its record against the database.
 * - Every acknowledged effect exists in the database.
 * - No key was acknowledged with two effects.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Api, Output } from '@roz/contract/api.ts'
import { type Db, type Sql, sql } from '@roz/server/db/sql.ts'
import type { Acknowledgement, Trap } from './ack-proxy.ts'
import { inDatabase } from './database.ts'
import { freePorts, type Program, startChild } from './program.ts'

export type Recorder = {
  readonly url: string
  /** Kills the processes that many milliseconds after the next matching request has left for the server. */
  readonly arm: (trap: Trap) => Promise<void>
  readonly read: () => Acknowledgement[]
}

export async function startRecorder(program: Program): Promise<Recorder> {
  const port = await freePorts()
  const file = path.join(program.dataDir, 'acknowledgements.jsonl')
  const child = startChild('e2e/harness/ack-proxy.ts', [String(port), String(program.port), file])
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`the recording proxy exited with code ${code}`)))
  })
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    arm: async (trap) => {
      const response = await fetch(`${url}/__proxy/arm`, { method: 'POST', body: JSON.stringify(trap) })
      if (!response.ok) throw new Error('arming the recording proxy failed')
    },
    read: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Acknowledgement),
  }
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()
const isOne = async (db: Db, statement: Sql): Promise<boolean> => (await db.query(statement)).length === 1
const sessionExists = (db: Db, token: string) => isOne(db, sql`select 1 from session where token_hash = ${hashOf(token)}::bytea`)
const isCredited = (db: Db, orderId: string) =>
  isOne(
    db,
    sql`select 1 from topup t join transfer r on r.kind = 'topup' and r.ref = t.payment_id and r.amount = t.amount and r.credit = t.member_id
         where t.order_id = ${orderId}::text and t.status = 'captured'`,
  )

type Judge = (db: Db, told: { readonly record: Acknowledgement; readonly token: string; readonly at: URL }) => Promise<boolean>
const bodyOf = <N extends keyof Api>(record: Acknowledgement): Output<Api[N]> => JSON.parse(record.body) as Output<Api[N]>

/** By method and path: does the effect in the answer exist? Calls that change nothing have no entry. */
const JUDGES: Readonly<Record<string, Judge>> = {
  'POST /api/auth/register': async (db, { record }) => {
    const { token, user } = bodyOf<'register'>(record)
    const hasMember = await isOne(
      db,
      sql`select 1 from member m join wallet w on w.member_id = m.id where m.public_id = ${user.id}::uuid and m.email = ${user.email}::text`,
    )
    return hasMember && (await sessionExists(db, token))
  },
  'GET /api/auth/verify-email': (db, { at }) =>
    isOne(
      db,
      sql`select 1 from mail_token t join member m on m.id = t.member_id join wallet w on w.member_id = m.id
           where t.token_hash = ${hashOf(at.searchParams.get('token') ?? '')}::bytea and m.email_verified_at is not null and w.may_move`,
    ),
  'POST /api/auth/login': (db, { record }) => sessionExists(db, bodyOf<'login'>(record).token),
  'POST /api/admin/login': (db, { record }) => sessionExists(db, bodyOf<'adminLogin'>(record).token),
  'POST /api/wallet/add': (db, { record }) =>
    isOne(db, sql`select 1 from topup where order_id = ${bodyOf<'addMoney'>(record).order_id}::text`),
  'POST /api/payments/confirm': async (db, { record }) => {
    const { success, orderUserDetails } = bodyOf<'confirmPayment'>(record).data
    return !success || isCredited(db, orderUserDetails.order_id)
  },
  'POST /api/rounds/join': (db, { record, token }) => {
    const { day, ticket } = bodyOf<'joinRound'>(record).ticket
    return isOne(
      db,
      sql`select 1 from session s join round_join j on j.member_id = s.member_id and j.day = ${day}::date
           where s.token_hash = ${hashOf(token)}::bytea
             and (not exists (select from ticket_page p where p.day = j.day)
                  or exists (select from ticket t where t.day = j.day and t.ticket = decode(${ticket}::text, 'hex')))`,
    )
  },
  'POST /api/admin/trigger-draw': (db, { record }) =>
    isOne(
      db,
      sql`select 1 from round r where r.day = ${bodyOf<'triggerDraw'>(record).round.id}::date and r.status = 'settled'
            and exists (select from draw_winner w where w.day = r.day)`,
    ),
  'POST /api/wallet/withdraw': (db, { record }) =>
    isOne(
      db,
      sql`select 1 from withdrawal w join transfer t on t.kind = 'wd_hold' and t.ref = w.id::text and t.amount = w.amount
           where w.id = ${bodyOf<'withdraw'>(record).withdrawal.id}::uuid`,
    ),
}

/** The acknowledged effects that the database lacks. */
export async function findLosses(dataDir: string, records: readonly Acknowledgement[]): Promise<string[]> {
  return inDatabase(dataDir, async (db) => {
    const lost: string[] = []
    for (const record of records) {
      const at = new URL(record.path, 'http://server')
      const judge = JUDGES[`${record.method} ${at.pathname}`]
      if (judge === undefined || record.status >= 300) continue
      const token = record.authorization?.replace('Bearer ', '') ?? ''
      if (!(await judge(db, { record, token, at }))) lost.push(`${record.method} ${at.pathname} was acknowledged: ${record.body}`)
    }
    return lost
  })
}

/** Keys that were acknowledged with two different effects. */
export function findContradictions(records: readonly Acknowledgement[]): string[] {
  const effects = new Map<string, string>()
  const found: string[] = []
  for (const record of records) {
    if (record.idempotencyKey === undefined || record.status >= 300) continue
    const body = JSON.parse(record.body) as { order_id?: string; ticket?: unknown; withdrawal?: { id: string } }
    const effect = JSON.stringify([body.order_id, body.ticket, body.withdrawal?.id])
    const key = `${record.path} ${record.authorization} ${record.idempotencyKey}`
    if ((effects.get(key) ?? effect) !== effect) found.push(`${record.path}: ${effects.get(key)} and ${effect}`)
    effects.set(key, effect)
  }
  return found
}
