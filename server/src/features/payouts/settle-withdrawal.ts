/**
 * Asks and books a withdrawal's state, for webhook, sweep and the administrator's retry.
 *
 * - Only the gateway's own answer to the newest question is booked, never a webhook's body.
 * - No transaction is open while the gateway is asked.
 * - A question without an answer changes nothing.
 */
import { GatewayRefusedError, GatewayUnavailableError } from '../../adapters/payments/port.ts'
import type { PayoutGateway, Transfer } from '../../adapters/payouts/port.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { pose } from '../../jobs/questions.ts'
import { gatewayIdOf } from '@roz/core/gateway-id.ts'
import { type PayoutAlarm, bookTransfer } from './book-transfer.ts'
import { claimSendingCheck, endQuestions, isNewest, noteSendingMissing } from './checks.ts'
import type { PayoutsDeps } from './deps.ts'
import { sendWithdrawal } from './send-withdrawal.ts'

/** Returns whether a row holds the question (jobs/questions.ts). Without a gateway for payouts there is no question. */
export async function settleWithdrawal(deps: PayoutsDeps, id: string): Promise<boolean> {
  const { db, payouts } = deps
  if (payouts === undefined) return true
  return pose(deps.attempt, {
    work: 'withdrawal',
    item: id,
    claim: () => claimSendingCheck(db, { id, kind: 'withdrawal' }),
    ask: (ask) => askAndBook({ ...deps, payouts }, id, ask),
  })
}

async function askAndBook(deps: PayoutsDeps & { readonly payouts: PayoutGateway }, id: string, ask: number): Promise<void> {
  const { db, payouts, warn } = deps
  let transfer: Transfer | undefined
  try {
    transfer = await payouts.fetchTransfer(gatewayIdOf(id))
  } catch (error) {
    if (!(error instanceof GatewayUnavailableError) && !(error instanceof GatewayRefusedError)) throw error
    warn({ err: error, withdrawalId: id }, 'the gateway could not be asked about a withdrawal; the sweep asks again')
    return
  }
  const after = await inTransaction(db, async (tx) => {
    const withdrawal = await tx.maybeOne<Ended>(sql`select status, ended_at as "endedAt" from withdrawal where id = ${id}::uuid for update`)
    if (!(await isNewest(tx, id, ask))) return undefined
    if (transfer !== undefined && withdrawal !== undefined) return bookTransfer(tx, id, transfer)
    return missing(tx, id, withdrawal)
  })
  if (after === 'send_again') await sendAgain(deps, id)
  else if (after !== undefined) deps.alarm(after.details, after.message)
}

type Ended = { readonly status: string; readonly endedAt: Date | null }

/** The gateway does not know the transfer, which is expected if it was never sent. An ended transfer stays watched. */
async function missing(tx: Tx, id: string, withdrawal: Ended | undefined): Promise<'send_again' | PayoutAlarm | undefined> {
  if (withdrawal?.status !== 'sending') {
    await endQuestions(tx, id, withdrawal?.endedAt ?? null)
    return undefined
  }
  return (await noteSendingMissing(tx, id)) ? 'send_again' : undefined
}

/** In the sweep no request waits for this; a failure is left to the next sweep. */
async function sendAgain(deps: PayoutsDeps, id: string): Promise<void> {
  try {
    await sendWithdrawal(deps, id, { again: true })
  } catch (error) {
    if (!(error instanceof GatewayUnavailableError)) throw error
    deps.warn({ err: error, withdrawalId: id }, 'a withdrawal could not be sent again; the sweep tries again')
  }
}
