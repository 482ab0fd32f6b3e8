/**
 * Fixture of the payouts' tests: calls over real HTTP, a real database, the worker, and a scripted payout gateway.
 * - The test decides every answer of the gateway.
 * - Jobs of other features are only recorded.
 */
import { createHash, createHmac } from 'node:crypto'
import { paise, wholeRupees } from '@roz/core/money.ts'
import type { NoticeData } from '@roz/core/notices.ts'
import { expect } from 'vitest'
import type { PayoutGateway, Transfer, TransferState } from '../adapters/payouts/port.ts'
import { GatewayRefusedError, GatewayUnavailableError, type PaymentGateway, type Refund } from '../adapters/payments/port.ts'
import { type Db, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { createDisputes } from '../features/disputes/disputes.ts'
import { createPayouts } from '../features/payouts/payouts.ts'
import { createWallet } from '../features/wallet/wallet.ts'
import { createAttempt } from '../jobs/parking.ts'
import { closeWallet } from '../ledger/closing.ts'
import { readWallet } from '../ledger/wallets.ts'
import { bookPayout } from '../ledger/withdrawals.ts'
import { createTicketKeys } from '../tickets/ticket-keys.ts'
import { makeMember, makeStaff, serveCalls, testSecrets } from './calls.ts'
import { createTestDatabase } from './database.ts'
import { perFile } from './fixture.ts'
import { BANK, logOf } from './wallet-world.ts'
import { createTestWorker, type KeptJob, keepJobs } from './job-handlers.ts'
import { noticesTo } from './notices.ts'
import { addMoney } from '../ledger/testing/fixtures.ts'

const SECRET = 'payouts secret'
/** Tests move the clock on by days, so no webhook may be too old. */
const TEN_YEARS_MS = 10 * 365 * 86_400_000

/** A scripted payout gateway: its transfers by id, and its behaviour. */
export function scriptedPayouts() {
  const script = {
    transfers: new Map<string, Transfer>(),
    /** `account`: the account number, or the UPI ID. */
    beneficiaries: [] as { beneficiaryId: string; name: string; account: string }[],
    methods: [] as string[],
    /** Ids of transfers, one per call of `send` and of `fetchTransfer`. */
    sent: [] as string[],
    asked: [] as string[],
    /** Behaviour of the next sends: take it, take it without an answer, lose it, or refuse it. */
    sendings: [] as ('take' | 'take_silently' | 'lose' | 'refuse')[],
    beneficiary: 'ready' as 'ready' | 'unusable' | 'refuse' | 'silent',
    /** Runs once, before the next beneficiary is created. */
    beforeReady: undefined as (() => Promise<void>) | undefined,
    /** If true, `fetchTransfer` gets no answer. */
    isSilent: false,
    /** Runs once in the next `fetchTransfer`, after its answer is formed. */
    beforeAnswer: undefined as (() => Promise<void>) | undefined,
  }
  const payouts: PayoutGateway = {
    ensureBeneficiary: async ({ beneficiaryId, name, instrument }) => {
      if (script.beneficiary === 'silent') unavailable()
      const { beforeReady } = script
      script.beforeReady = undefined
      await beforeReady?.()
      if (script.beneficiary === 'refuse') throw new GatewayRefusedError('refused', 400, 'bank_ifsc_invalid')
      script.beneficiaries.push({ beneficiaryId, name, account: instrument.kind === 'bank' ? instrument.accountNumber : instrument.vpa })
      return { beneficiaryId, state: script.beneficiary }
    },
    send: async ({ transferId, amount, method }) => {
      script.methods.push(method)
      script.sent.push(transferId)
      const how = script.sendings.shift() ?? 'take'
      if (how === 'lose') unavailable()
      if (how === 'refuse') throw new GatewayRefusedError('refused', 400, 'transfer_amount_invalid')
      const known = script.transfers.get(transferId) ?? transferOf(transferId, amount)
      script.transfers.set(transferId, known)
      return how === 'take_silently' ? unavailable() : known
    },
    fetchTransfer: async (transferId) => {
      script.asked.push(transferId)
      if (script.isSilent) unavailable()
      const answer = script.transfers.get(transferId)
      const { beforeAnswer } = script
      script.beforeAnswer = undefined
      await beforeAnswer?.()
      return answer
    },
    verifyWebhook: verifyScripted,
    webhookLifeMs: TEN_YEARS_MS,
    parseWebhook: (bytes) => {
      const eventKey = createHash('sha256').update(bytes).digest('hex')
      const [type = '', transferId] = bytes.toString().split(' ')
      if (type === '') return undefined
      return transferId === undefined ? { kind: 'other', eventKey, type } : { kind: 'transfer', eventKey, type, transferId }
    },
  }
  return { script, payouts }
}

/** A scripted payment gateway, as refunds use it. */
export function scriptedRefunds() {
  const script = {
    refunds: new Map<string, Refund>(),
    sent: [] as { readonly orderId: string; readonly refundId: string; readonly amount: bigint; readonly currency: string }[],
    sendings: [] as ('take' | 'lose' | 'refuse')[],
  }
  const gateway: PaymentGateway = {
    createOrder: () => unavailable(),
    fetchOrder: () => unavailable(),
    createRefund: async ({ orderId, refundId, amount, currency }) => {
      const how = script.sendings.shift() ?? 'take'
      script.sent.push({ orderId, refundId, amount, currency })
      if (how === 'lose') unavailable()
      if (how === 'refuse') throw new GatewayRefusedError('refused', 400, 'refund_amount_invalid')
      const known = script.refunds.get(refundId) ?? { ...refundOf(orderId, refundId, amount), currency }
      script.refunds.set(refundId, known)
      return known
    },
    fetchRefund: async (_orderId, refundId) => script.refunds.get(refundId),
    fetchDispute: () => unavailable(),
    listDisputes: () => unavailable(),
    checkout: { mode: 'sandbox', scriptUrl: '' },
    verifyWebhook: verifyScripted,
    webhookLifeMs: TEN_YEARS_MS,
    parseWebhook: (bytes) => {
      const { type, orderId, refundId } = JSON.parse(bytes.toString()) as Record<'type' | 'orderId' | 'refundId', string>
      return { kind: 'refund', eventKey: createHash('sha256').update(bytes).digest('hex'), type, orderId, refundId }
    },
  }
  return { script, gateway }
}

const refundOf = (orderId: string, refundId: string, amount: bigint): Refund => ({
  refundId,
  orderId,
  state: 'pending',
  status: 'PENDING',
  description: undefined,
  amount: paise(amount),
  currency: 'INR',
  paymentId: undefined,
  bankReference: undefined,
})

function unavailable(): never {
  throw new GatewayUnavailableError('no answer')
}

/** The signature's time is now, unless the test sets a timestamp. */
const verifyScripted: PaymentGateway['verifyWebhook'] = (headers, bytes) =>
  headers['x-webhook-signature'] === signatureOf(bytes) ? { atMs: Number(headers['x-webhook-timestamp'] ?? Date.now()) } : undefined

const signatureOf = (bytes: Buffer): string => createHmac('sha256', SECRET).update(bytes).digest('hex')

const transferOf = (transferId: string, amount: bigint): Transfer => ({
  transferId,
  gatewayId: '1',
  state: 'pending',
  status: 'RECEIVED',
  statusCode: undefined,
  description: undefined,
  amount: paise(amount),
  currency: 'INR',
  bankReference: undefined,
  toldAtMs: undefined,
})

type PayoutsOptions = { readonly byHand?: boolean; readonly approvalAbove?: bigint }
export type PayoutsWorld = Awaited<ReturnType<typeof openPayoutsWorld>>
/** One for all tests of a file. */
export const usePayoutsWorld = (options: PayoutsOptions = {}): PayoutsWorld => perFile(() => openPayoutsWorld(options))

async function openPayoutsWorld(options: PayoutsOptions = {}) {
  const database = await createTestDatabase({ connectionsMax: 20 })
  const { db } = database
  const { script, payouts: gateway } = scriptedPayouts()
  const { script: refunds, gateway: payments } = scriptedRefunds()
  const alarms: object[] = []
  const jobs: KeptJob[] = []
  const attempt = createAttempt({ db, log: logOf(alarms) })
  const payouts = createPayouts({
    db,
    attempt,
    payouts: options.byHand === true ? undefined : gateway,
    gateway: payments,
    secrets: testSecrets,
    approvalAbove: paise(options.approvalAbove ?? 100_000n),
    warn: () => undefined,
    alarm: (details, message) => void alarms.push({ ...details, message }),
  })
  const wallet = createWallet({
    db,
    attempt,
    gateway: payments,
    secrets: testSecrets,
    topupLimits: { min: paise(1000n), max: paise(3000n) },
    topupsOn: true,
    cashoutOn: true,
    ticketKeys: createTicketKeys({ secrets: testSecrets }),
    warn: () => undefined,
    alarm: () => undefined,
  })
  const disputes = createDisputes({ db, attempt, gateway: payments, warn: () => undefined, alarm: () => undefined })
  const calls = await serveCalls(db, { ...wallet.handlers, ...payouts.handlers, ...disputes.handlers })
  const admin = await makeStaff(db)
  const worker = createTestWorker(db, { handlers: keepJobs(jobs, payouts.jobs), clockwork: [...payouts.sweeps] })
  const world = { database, db, script, refunds, payouts, alarms, jobs, calls, admin, runDue: worker.runDue }
  return Object.assign(world, membersOf(world), {
    /** Sets the gateway's answer about a refund. */
    gatewayRefunds(id: string, state: Refund['state'], change: Partial<Refund> = {}): void {
      const refundId = id.replaceAll('-', '')
      const known = refunds.refunds.get(refundId) ?? refundOf('unknown', refundId, 1000n)
      refunds.refunds.set(refundId, { ...known, state, status: state.toUpperCase(), bankReference: 'ARN7', ...change })
    },
    refundWebhook: (body: object) => {
      const text = JSON.stringify(body)
      return calls.ask('POST /webhooks/cashfree', { body: text, headers: { 'x-webhook-signature': signatureOf(Buffer.from(text)) } })
    },
    /** Moves the clock on and runs all work that is due then. */
    pass: async (seconds: number): Promise<void> => {
      await db.query(sql`select set_clock_offset((select offset_ms from clock_offset) + ${seconds * 1000}::bigint)`)
      await worker.runDue()
    },
    close: async (): Promise<void> => {
      await calls.close()
      await worker.stop()
      await database.drop()
    },
  })
}

type Stage = {
  readonly db: Db
  readonly script: ReturnType<typeof scriptedPayouts>['script']
  readonly calls: Awaited<ReturnType<typeof serveCalls>>
  readonly admin: bigint
  readonly jobs: readonly KeptJob[]
}

type Decider = { readonly as?: bigint; readonly headers?: Record<string, string> }

function membersOf({ db, script, calls, admin, jobs }: Stage) {
  /** Decides as an administrator who sees the current status, unless `body` says another. */
  async function decide(id: string, what: string, body: object = {}, { as = admin, headers = {} }: Decider = {}) {
    const found = await db.maybeOne<{ status: string }>(sql`select status from withdrawal where id::text = ${id}::text`)
    return calls.ask(`POST /admin/withdrawals/${id}/${what}`, { as, headers, body: { status: found?.status ?? 'approved', ...body } })
  }
  /** Captures a top-up and returns its order id. */
  const pay = (memberId: bigint, rupees: number): Promise<string> => addMoney(db, memberId, wholeRupees(rupees))
  async function funded(rupees: number): Promise<bigint> {
    const memberId = await makeMember(db)
    await pay(memberId, rupees)
    return memberId
  }
  async function withdraw(memberId: bigint, amount = 10, to: object = { bankDetail: BANK }): Promise<string> {
    const { body } = await calls.ask('POST /wallet/withdraw', { as: memberId, body: { amount, ...to } })
    return body.withdrawal.id
  }
  return {
    decide,
    funded,
    pay,
    withdraw,
    /** The suspense item of a payout that came back after its member's account was closed. */
    async returnedPayout(): Promise<{ readonly id: string; readonly withdrawal: string; readonly member: bigint }> {
      const member = await funded(10)
      const withdrawal = await withdraw(member)
      await inTransaction(db, (tx) => bookPayout(tx, { id: withdrawal, word: 'paid' }))
      await inTransaction(db, async (tx) => {
        expect(await closeWallet(tx, member)).toMatchObject({ ok: true })
        await tx.query(sql`update member set deleted_at = roz_now(), email = null, name = 'Closed account' where id = ${member}::bigint`)
      })
      await inTransaction(db, (tx) => bookPayout(tx, { id: withdrawal, word: 'reversed' }))
      const item = await db.one<{ id: bigint }>(sql`select id from suspense_item where payment_id = ${`wd_reversed:${withdrawal}`}::text`)
      return { id: String(item.id), withdrawal, member }
    },
    /** Sets the gateway's answer about a transfer. */
    gatewaySays(id: string, state: TransferState, change: Partial<Transfer> = {}): void {
      const transferId = id.replaceAll('-', '')
      const known = script.transfers.get(transferId) ?? transferOf(transferId, 1000n)
      script.transfers.set(transferId, { ...known, state, status: state.toUpperCase(), bankReference: 'UTR42', ...change })
    },
    webhook: (text: string, signature = signatureOf(Buffer.from(text))) =>
      calls.ask('POST /webhooks/cashfree-payouts', { body: text, headers: { 'x-webhook-signature': signature } }),
    /** Status of the withdrawal, and balance and held amount in rupees. */
    async stateOf(id: string): Promise<readonly [status: string, balance: number, held: number]> {
      const { status, memberId } = await db.one<{ status: string; memberId: bigint }>(
        sql`select status, member_id as "memberId" from withdrawal where id = ${id}::uuid`,
      )
      const wallet = await readWallet(db, memberId)
      return [status, Number(wallet?.balance ?? 0n) / 100, Number(wallet?.held ?? 0n) / 100]
    },
    noticesOf: async (memberId: bigint): Promise<string[]> => (await noticesTo(db, memberId)).map(({ kind }) => kind).sort(),
    /** Amount and reason in the member's mail and notice of one kind. */
    async toldOf(memberId: bigint, what: string): Promise<readonly (readonly ['mail' | 'notice', object])[]> {
      const { email } = await db.one<{ email: string }>(sql`select email from member where id = ${memberId}::bigint`)
      const mails = jobs.flatMap(({ payload }) => {
        const mail = payload as { readonly to?: string; readonly template?: string; readonly data: NoticeData }
        return mail.to === email && mail.template === what ? [['mail', mail.data] as const] : []
      })
      const notices = (await noticesTo(db, memberId)).flatMap(({ kind, data }) => (kind === what ? [['notice', data] as const] : []))
      return [...mails, ...notices].map(([kind, { amount, reason }]) => [kind, { amount, reason }] as const)
    },
    timesSent: (id: string): number => script.sent.filter((sent) => sent === id.replaceAll('-', '')).length,
  }
}
