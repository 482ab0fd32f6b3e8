/** Calls of money that is added by a transfer to our bank account: how to pay, and finance's confirmation. */
import { rupeeAmount, ticketKey } from '@roz/core/fields.ts'
import { decisionReason } from '@roz/core/money-fields.ts'
import { bankNumber, transferReference } from '@roz/core/reference-fields.ts'
import { z } from 'zod'
import { endpoint, staffCall } from './endpoint.ts'
import { READERS, TREASURY } from './roles.ts'
import { day, instant, newer, nextCursor, page, rupees, seen } from './shapes.ts'
import { ORDER_REFUSALS, orderStatus } from './wallet.ts'

const account = z.object({ holder: z.string(), number: z.string(), ifsc: z.string(), bank: z.string(), upi: z.string().nullable() })
const reference = z.string().meta({ description: 'What the payer writes into the transfer' })
const order = z.object({ reference, amount: rupees, member: z.object({ id: z.string(), name: z.string() }) })

const transferState = z.enum(['asked', 'confirmed', 'rejected'], 'choice_invalid')
/** `to_second`: what waits for the caller, as the to-do list counts it. */
const transferFilter = z.enum([...transferState.options, 'to_second'], 'choice_invalid')
const transfer = z.object({
  id: z.string(),
  amount: rupees,
  day,
  order: order.nullable().meta({ description: 'null: its reference is unknown, and the money is in suspense' }),
  bankReference: z.string().nullable().meta({ description: "The bank's number; null: a line of the statement" }),
  status: transferState,
  askedBy: z.object({ id: z.string(), name: z.string() }),
  askedAt: instant,
  reason: z.string().nullable(),
})
const asked = z.object({
  order_id: z.string(),
  reference,
  amount: rupees,
  status: orderStatus,
  createdAt: instant,
  expiresAt: instant.meta({ description: 'A transfer that comes later is credited too' }),
})
/** The reference that the person saw beside the line. */
const transferReferenceSeen = z.nullable(transferReference)
const line = z.object({
  id: z.string(),
  account: z.string().meta({ description: 'The name of our account' }),
  day,
  amount: rupees,
  order: order.nullable().meta({ description: 'The order whose reference the line has' }),
  isClosed: z
    .boolean()
    .meta({ description: 'Its finding was closed with a reason: whether it is a transfer of its order all the same, a person decides' }),
  seen: newer(z.string().meta({ description: 'A fingerprint of reference and isClosed; the confirmation may name it' })),
})
const CONFIRMED = ['transfer_known', 'own_money', 'second_person_needed', 'role_too_new'] as const

const one = z.object({ id: z.string().min(1).max(100) })

export const bankTransferCalls = {
  bankTransfers: endpoint('GET /wallet/transfers', {
    access: 'member',
    summary:
      "The bank account to which money is added, and the member's orders with the reference of each: those that wait, then the newest.",
    output: z.object({
      account: account.nullable().meta({ description: 'null: money is added in another way here' }),
      transfers: z.array(asked),
    }),
    refusals: [],
  }),
  askTransfer: endpoint('POST /wallet/transfers', {
    access: 'verified',
    summary: 'Creates an order that is paid by a bank transfer; the wallet is credited when finance has confirmed the transfer.',
    body: z.strictObject({ amount: rupeeAmount, ticketKey: z.optional(ticketKey) }),
    output: z.object({ order_id: z.string(), reference }),
    refusals: ORDER_REFUSALS,
  }),
  transferLines: staffCall('GET /admin/transfers/lines', {
    roles: READERS,
    summary:
      'Money that came in by the statements and has no entry yet, newest import first, each with the order whose reference it has. ' +
      'Where money is added in another way now, only those that have one. `closed`: the lines that were closed with a reason and have one.',
    query: z.object({ ...page.shape, status: z.enum(['closed'], 'choice_invalid').optional() }),
    output: z.object({ lines: z.array(line), nextCursor }),
    refusals: [],
  }),
  transfers: staffCall('GET /admin/transfers', {
    roles: READERS,
    summary: 'Transfers that were confirmed, rejected, or wait for a second person, newest first.',
    query: z.object({ ...page.shape, status: transferFilter.optional() }),
    output: z.object({ transfers: z.array(transfer), nextCursor }),
    refusals: [],
  }),
  confirmTransferLine: staffCall('POST /admin/transfers/lines/{id}/confirm', {
    roles: TREASURY,
    stepUp: true,
    summary: 'Confirms that a line of the statement is the transfer of an order, and credits it; without an order it goes to suspense.',
    params: one,
    body: z.strictObject({ reference: transferReferenceSeen, seen }),
    output: z.object({ transfer }),
    refusals: ['bank_line_not_found', 'changed_since_seen', 'other_way_to_pay', ...CONFIRMED],
  }),
  confirmTransfer: staffCall('POST /admin/transfers', {
    roles: TREASURY,
    stepUp: true,
    summary: "Confirms a transfer by the bank's number, where there is no statement of it.",
    body: z.strictObject({ reference: transferReference, bankReference: bankNumber, amount: rupeeAmount, day }),
    output: z.object({ transfer }),
    refusals: ['transfer_has_line', 'transfer_no_order', 'transfer_other_amount', ...CONFIRMED],
  }),
  approveTransfer: staffCall('POST /admin/transfers/{id}/approve', {
    roles: TREASURY,
    stepUp: true,
    summary: 'Confirms a transfer as the second person, and credits it.',
    params: one,
    output: z.object({ transfer }),
    refusals: ['transfer_not_found', 'transfer_final', ...CONFIRMED],
  }),
  rejectTransfer: staffCall('POST /admin/transfers/{id}/reject', {
    roles: TREASURY,
    stepUp: true,
    summary: 'Rejects a transfer that waits for a second person. Nothing is credited.',
    params: one,
    body: z.strictObject({ reason: decisionReason }),
    output: z.object({ transfer }),
    refusals: ['transfer_not_found', 'transfer_final'],
  }),
} as const
