/** The dependencies of AutoPay, and the rows that its parts share. */
import type { AutopayState } from '@roz/core/autopay.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import type { TopupLimits } from '@roz/core/money-fields.ts'
import type { MandateGateway } from '../../adapters/mandates/port.ts'
import type { Checkout } from '../../adapters/payments/port.ts'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import type { Attempt } from '../../jobs/parking.ts'
import { IS_OPEN_MANDATE } from '../../ledger/autopay.ts'
import type { Meters } from '../../operation/meters.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import type { TicketKeys } from '../../tickets/ticket-keys.ts'

export type AutopayDeps = {
  readonly db: Db
  readonly mandates: MandateGateway
  /** Undefined: the gateway has no payment page, and AutoPay is off. */
  readonly checkout: Checkout | undefined
  readonly attempt: Attempt
  readonly secrets: Secrets
  readonly idempotency: Idempotency
  readonly ticketKeys: Pick<TicketKeys, 'ensure'>
  readonly topupLimits: TopupLimits
  readonly termsVersion: string
  /** The setting AUTOPAY, and the switch for adding money: without either nothing is set up, and nothing is raised. */
  readonly autopayOn: boolean
  readonly topupsOn: boolean
  /** A debit is raised for a wallet with less than this. */
  readonly below: Paise
  readonly webhookLag?: Meters['webhookLag'] | undefined
  readonly warn: (details: object, message: string) => void
  readonly alarm: (details: object, message: string) => void
}

export type MandateRow = {
  readonly id: string
  readonly memberId: bigint
  readonly state: AutopayState
  readonly gatewayStatus: string | null
  readonly amount: Paise
  readonly payer: string | null
  readonly authOrderId: string
  readonly isPaused: boolean
  readonly isStoppedByTeam: boolean
  readonly failures: number
  readonly notBefore: IstDay | null
  readonly expiresAt: Date
  readonly createdAt: Date
  /** The setup's day is over. */
  readonly isOldSetup: boolean
}

const COLUMNS = sql`
  m.id, m.member_id as "memberId", m.state, m.gateway_status as "gatewayStatus", m.amount, m.payer, m.auth_order_id as "authOrderId",
  m.paused_at is not null as "isPaused", m.stopped_by is not null as "isStoppedByTeam", m.failures, m.not_before::text as "notBefore", m.expires_at as "expiresAt",
  m.created_at as "createdAt", m.state = 'setup' and m.created_at <= roz_now() - interval '24 hours' as "isOldSetup"`

export const findMandate = (from: Queryable, id: string): Promise<MandateRow | undefined> =>
  from.maybeOne<MandateRow>(sql`select ${COLUMNS} from autopay_mandate m where m.id = ${id}::uuid`)

export const ownerOf = async (from: Queryable, id: string): Promise<bigint | undefined> =>
  (await from.query<{ memberId: bigint }>(sql`select member_id as "memberId" from autopay_mandate where id = ${id}::uuid`))[0]?.memberId

/** Locks a mandate until the transaction ends. A debit may still be written beside it: it only refers to the mandate. */
export const lockMandate = (tx: Tx, id: string): Promise<MandateRow | undefined> =>
  tx.maybeOne<MandateRow>(sql`select ${COLUMNS} from autopay_mandate m where m.id = ${id}::uuid for no key update`)

export const findOpen = (from: Queryable, memberId: bigint): Promise<Pick<MandateRow, 'id' | 'state'> | undefined> =>
  from.maybeOne(sql`select m.id, m.state from autopay_mandate m where m.member_id = ${memberId}::bigint and ${IS_OPEN_MANDATE}`)

/** The member's open mandate, or else the mandate that ended last. */
export const findOwn = (from: Queryable, memberId: bigint): Promise<MandateRow | undefined> =>
  from.maybeOne<MandateRow>(sql`select ${COLUMNS} from autopay_mandate m where m.member_id = ${memberId}::bigint
         order by ${IS_OPEN_MANDATE} desc, m.created_at desc limit 1`)

type ChargeStatus = 'raising' | 'open' | 'paid' | 'failed' | 'cancelled'
export type ChargeRow = {
  readonly orderId: string
  readonly mandateId: string
  readonly kind: 'auth' | 'charge'
  readonly day: IstDay
  readonly status: ChargeStatus
  /** The gateway's id of the payment, once it is known. */
  readonly cfPaymentId: string | null
  readonly wantsCancel: boolean
  /** The gateway has said for a minute that it does not know the debit. */
  readonly isMissing: boolean
}

const CHARGE_COLUMNS = sql`
  order_id as "orderId", mandate_id as "mandateId", kind, day::text as day, status, cf_payment_id as "cfPaymentId",
  cancel_at is not null as "wantsCancel", coalesce(missing_since <= roz_now() - interval '1 minute', false) as "isMissing"`

export const lockCharge = (tx: Tx, orderId: string): Promise<ChargeRow | undefined> =>
  tx.maybeOne<ChargeRow>(sql`select ${CHARGE_COLUMNS} from autopay_charge where order_id = ${orderId}::text for update`)

/** All debits of a mandate, oldest first: one a month, at most. */
export const listCharges = (from: Queryable, mandateId: string): Promise<ChargeRow[]> =>
  from.query<ChargeRow>(
    sql`select ${CHARGE_COLUMNS} from autopay_charge where mandate_id = ${mandateId}::uuid order by created_at, order_id`,
  )
