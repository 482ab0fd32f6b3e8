/**
 * The wallet's calls, jobs and due work.
 *
 * - Members see and move only their own orders, withdrawals and movements.
 * - An order's page shows our own state, updated by asking the gateway.
 * - The confirm call names nobody.
 */
import type { walletCalls } from '@roz/contract/wallet.ts'
import { rupeesFromPaise } from '@roz/core/money.ts'
import type { TopupLimits } from '@roz/core/money-fields.ts'
import type { Language } from '@roz/core/language.ts'
import type { PayeeNames } from '../../adapters/payee-names/port.ts'
import type { PaymentGateway } from '../../adapters/payments/port.ts'
import type { Db } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { CURSOR_PARTS, cutPage, readPage, readWhole } from '../../lists/cursor.ts'
import { orKeepJob } from '../../jobs/questions.ts'
import type { Attempt } from '../../jobs/parking.ts'
import { createIdempotency } from '../../http/idempotency.ts'
import type { Meters } from '../../operation/meters.ts'
import { type Answer, type Handlers, invalid } from '../../http/route.ts'
import { gatherMovements } from '../../ledger/movements.ts'
import type { Topup } from '../../ledger/topups.ts'
import { readWallet } from '../../ledger/wallets.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import type { TicketKeys } from '../../tickets/ticket-keys.ts'
import { addMoney, askTransfer } from './add-money.ts'
import { listTransfers, type TransferAccount } from './bank-transfers.ts'
import { findTopup, isOpen, noteOrderKnown, ORDER_STATUS_OF } from './orders.ts'
import { creditTransfer, settleOrder, sweepOrders } from './settle.ts'
import { checkPayeeName } from './payee-name.ts'
import { findReceipt } from './receipt.ts'
import { listAllTransactions, showTransactions } from './transactions.ts'
import { cleanOldEvents, receivePaymentWebhook } from './webhook.ts'
import { noteWithdrawal } from './withdrawal-signals.ts'
import { listWithdrawals, withdraw, withdrawRest } from './withdraw.ts'

type WalletDeps = {
  readonly db: Db
  readonly gateway: PaymentGateway
  readonly attempt: Attempt
  readonly webhookLag?: Meters['webhookLag'] | undefined
  readonly secrets: Secrets
  readonly topupLimits: TopupLimits
  /** The operator's switches PAYMENTS_LIVE and CASHOUT. */
  readonly topupsOn: boolean
  readonly cashoutOn: boolean
  /** Undefined without its keys: the name of a UPI ID is not checked. */
  readonly payeeNames?: PayeeNames | undefined
  /** Our bank account, where money is added by transfers to it. */
  readonly transferAccount?: TransferAccount | undefined
  readonly ticketKeys: Pick<TicketKeys, 'ensure'>
  readonly warn: (details: object, message: string) => void
  /** Alarms the operator that money is not where we booked it: a person must look. */
  readonly alarm: (details: object, message: string) => void
}

type WalletCalls = keyof typeof walletCalls | 'bankTransfers' | 'askTransfer'

/** How long a page waits for the gateway before it gets our own state. */
const PATIENCE_MS = 4000

type Transactions = Answer<(typeof walletCalls)['transactions']>
type TransactionsOf = (
  memberId: bigint,
  query: { readonly cursor?: string | undefined; readonly limit: number },
  language: Language,
) => Promise<Transactions>

export function createWallet(deps: WalletDeps) {
  const { db, gateway } = deps
  const idempotency = createIdempotency({ db, secrets: deps.secrets })
  const readMovements = gatherMovements(db)

  /** Returns an order after asking the gateway, if the answer may still change it. */
  async function freshTopup(topup: Topup): Promise<Topup> {
    if (!isOpen(topup)) return topup
    await settleOrder(deps, topup.orderId, PATIENCE_MS)
    return (await findTopup(db, topup.orderId)) ?? topup
  }
  const balanceOf = async (memberId: bigint): Promise<number> => {
    const wallet = await readWallet(db, memberId)
    return wallet === undefined ? 0 : rupeesFromPaise(wallet.balance)
  }

  /** One page of a member's transactions, for the member and for the staff. */
  const transactionsOf: TransactionsOf = async (memberId, query, language) => {
    const page = await readMovements({ memberId, ...query })
    if (!page.ok) return invalid({ cursor: 'cursor_invalid' })
    const { movements, nextCursor } = page.value
    return { ok: true, value: { transactions: await showTransactions(db, memberId, movements, language), nextCursor } }
  }

  const handlers: Handlers<WalletCalls> = {
    checkout: () => {
      const { checkout } = gateway
      if (checkout === undefined) return Promise.resolve({ ok: false, code: 'other_way_to_pay' })
      return Promise.resolve({ ok: true, value: { mode: checkout.mode, script_url: checkout.scriptUrl } })
    },
    bankTransfers: async ({ session }) => {
      const { transferAccount } = deps
      const transfers = transferAccount === undefined ? [] : await listTransfers(db, session.memberId)
      return { ok: true, value: { account: transferAccount ?? null, transfers } }
    },
    askTransfer: (call) => askTransfer({ ...deps, idempotency }, call),
    addMoney: (call) => addMoney({ ...deps, idempotency }, call),
    verifyOrder: async ({ params, session }) => {
      const topup = await findTopup(db, params.orderId)
      if (topup === undefined || topup.memberId !== session.memberId) return { ok: false, code: 'order_not_found' }
      const { status } = await freshTopup(topup)
      return { ok: true, value: { balance: await balanceOf(session.memberId), status: ORDER_STATUS_OF[status] } }
    },
    confirmPayment: async ({ body }) => {
      const found = await findTopup(db, body.order_id)
      if (found === undefined) return { ok: false, code: 'order_not_found' }
      const topup = await freshTopup(found)
      const status = ORDER_STATUS_OF[topup.status]
      const orderUserDetails = { order_id: topup.orderId, order_amount: rupeesFromPaise(topup.amount), order_status: status }
      return { ok: true, value: { data: { success: status === 'PAID', orderUserDetails } } }
    },
    withdraw: (call) => withdraw({ ...deps, idempotency }, call),
    withdrawals: async ({ query, session }) => {
      const page = readPage(query, [CURSOR_PARTS.micros, CURSOR_PARTS.uuid])
      if (!page.ok) return page
      const { rows, nextCursor } = cutPage(await listWithdrawals(db, session.memberId, page), page.limit, (row) => row.key)
      return { ok: true, value: { withdrawals: rows.map((row) => row.shown), nextCursor } }
    },
    transactions: ({ query, session, language }) => transactionsOf(session.memberId, query, language),
    receipt: async ({ params, session, language }) => {
      const receipt = await findReceipt(db, session.memberId, params.id, language)
      return receipt === undefined ? { ok: false, code: 'transaction_not_found' } : { ok: true, value: { receipt } }
    },
    paymentWebhook: (call) => receivePaymentWebhook(deps, call),
  }

  return {
    handlers,
    transactionsOf,
    creditTransfer,
    /** For a member who closes the account. */
    withdrawRest: (tx: Tx, asked: Parameters<typeof withdrawRest>[2]) => withdrawRest(deps, tx, asked),
    /** All parts, for the member's export. */
    exports: {
      transactions: (memberId: bigint, language: Language) => listAllTransactions(db, memberId, language),
      withdrawals: async (memberId: bigint) =>
        (
          await readWhole(
            (page) => listWithdrawals(db, memberId, page),
            ({ key }) => key,
          )
        ).map(({ shown }) => shown),
    },
    jobs: {
      /** Of a webhook: the gateway itself has named the order. */
      settle_order: async ({ orderId }: { readonly orderId: string }): Promise<void> => {
        await noteOrderKnown(db, orderId)
        await orKeepJob(settleOrder(deps, orderId))
      },
      check_payee_name: ({ withdrawalId }: { readonly withdrawalId: string }): Promise<void> => checkPayeeName(deps, withdrawalId),
      note_signals: ({ withdrawalId }: { readonly withdrawalId: string }): Promise<void> => noteWithdrawal(deps, withdrawalId),
    },
    /** Sweeps of open orders, of old idempotency keys and of old events. Each is due work of its own. */
    sweeps: [
      (): Promise<boolean> => sweepOrders(deps),
      (): Promise<boolean> => idempotency.forgetOld(),
      (): Promise<boolean> => cleanOldEvents(deps),
    ],
  }
}
