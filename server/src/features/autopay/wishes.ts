/**
 * A member's wishes about a mandate: pause, resume, try again, stop.
 * - Our row changes at once; the gateway hears of it afterwards, and is asked until it agrees.
 * - A wish that is fulfilled already is accepted again.
 */
import type { autopayCalls } from '@roz/contract/autopay.ts'
import { AUTOPAY_ENDED, type AutopayState, workingState } from '@roz/core/autopay.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { Answer, Handlers } from '../../http/route.ts'
import { cancelOpenCharge, stopMandate } from '../../ledger/autopay.ts'
import { lockWallet } from '../../ledger/transfer.ts'
import { type AutopayDeps, findOpen, findOwn, lockMandate, type MandateRow } from './deps.ts'
import { viewOwn } from './view.ts'

type Wish = 'pauseAutopay' | 'resumeAutopay' | 'retryAutopay' | 'stopAutopay'
type Judged = 'done' | 'changed_since_seen'

async function lockOpen(tx: Tx, memberId: bigint): Promise<MandateRow | undefined> {
  await lockWallet(tx, memberId)
  const open = await findOpen(tx, memberId)
  return open && lockMandate(tx, open.id)
}

async function pause(tx: Tx, { id, memberId, state }: MandateRow): Promise<Judged> {
  if (state === 'setup' || state === 'bank' || state === 'stopping') return 'changed_since_seen'
  await tx.query(sql`
    update autopay_mandate set paused_at = coalesce(paused_at, roz_now()), state = case when state = 'payer_paused' then state else 'paused' end
     where id = ${id}::uuid`)
  await cancelOpenCharge(tx, memberId)
  return 'done'
}

async function resume(tx: Tx, row: MandateRow): Promise<Judged> {
  if (!row.isPaused) return row.state === 'on' ? 'done' : 'changed_since_seen'
  const state: AutopayState = row.state === 'paused' ? workingState({ ...row, isPaused: false }) : row.state
  await tx.query(sql`update autopay_mandate set paused_at = null, state = ${state}::text where id = ${row.id}::uuid`)
  return 'done'
}

async function tryAgain(tx: Tx, row: MandateRow): Promise<Judged> {
  if (row.state === 'on') return 'done'
  if (row.state !== 'resting') return 'changed_since_seen'
  await tx.query(sql`
    update autopay_mandate set failures = 0, state = ${workingState({ ...row, failures: 0 })}::text where id = ${row.id}::uuid`)
  return 'done'
}

export function wishHandlers(deps: AutopayDeps): Handlers<Wish> {
  const { db } = deps
  const wish = (memberId: bigint, grant: (tx: Tx, row: MandateRow) => Promise<Judged>): Promise<Answer<typeof autopayCalls.pauseAutopay>> =>
    inTransaction(db, async (tx) => {
      const row = await lockOpen(tx, memberId)
      if (row === undefined) return { ok: false, code: 'not_found' }
      const judged = await grant(tx, row)
      if (judged !== 'done') return { ok: false, code: judged }
      return { ok: true, value: { autopay: await viewOwn(deps, memberId, tx) } }
    })
  return {
    pauseAutopay: ({ session }) => wish(session.memberId, pause),
    resumeAutopay: ({ session }) => wish(session.memberId, resume),
    retryAutopay: ({ session }) => wish(session.memberId, tryAgain),
    stopAutopay: ({ session: { memberId } }) =>
      inTransaction(db, async (tx) => {
        const stopped = await stopMandate(tx, memberId)
        const last = stopped === undefined ? await findOwn(tx, memberId) : undefined
        if (stopped === undefined && (last === undefined || !AUTOPAY_ENDED.has(last.state))) return { ok: false, code: 'not_found' }
        return { ok: true, value: { autopay: await viewOwn(deps, memberId, tx) } }
      }),
  }
}
