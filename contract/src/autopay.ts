/** Calls of AutoPay: a member's mandate, and its webhook. */
import { AUTOPAY_IDLE, AUTOPAY_STATES } from '@roz/core/autopay.ts'
import { ticketKey } from '@roz/core/fields.ts'
import { phone } from '@roz/core/person-fields.ts'
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { day, instant, newer, rupees } from './shapes.ts'
import { checkout } from './wallet.ts'

export const debit = z.object({ day, amount: rupees })

export const mandate = z.object({
  state: z.enum(AUTOPAY_STATES),
  amount: rupees.meta({ description: 'Each debit is exactly this' }),
  payer: z.string().nullable().meta({ description: 'The UPI ID that pays, without its middle' }),
  next: debit.nullable().meta({ description: 'The debit that is announced to the bank' }),
  last: debit.nullable().meta({ description: 'The newest paid debit' }),
  expiresAt: instant,
  createdAt: instant,
})

export const autopay = z.object({
  offered: z.boolean().meta({ description: 'Whether one can be set up here' }),
  amount: rupees.meta({ description: 'What a new one would debit, each time' }),
  below: rupees.meta({ description: 'A debit follows when the wallet has less than this' }),
  idle: newer(z.enum(AUTOPAY_IDLE).nullable().meta({ description: 'Why nothing is debited though the mandate is on' }), { absent: null }),
  mandate: mandate.nullable().meta({ description: 'The open mandate, or the mandate that ended last' }),
})

const changed = { output: z.object({ autopay }) } as const

export const autopayCalls = {
  autopay: endpoint('GET /autopay', {
    access: 'member',
    summary: "The member's AutoPay. While a setup is not finished, the gateway is asked first.",
    output: z.object({ autopay }),
    refusals: [],
  }),
  setUpAutopay: endpoint('POST /autopay', {
    access: 'verified',
    summary: 'Begins a setup, or goes on with an unfinished setup. The payer authorises it on the page of the gateway.',
    body: z.strictObject({
      phoneNumber: phone,
      /** "I am 18 or older and this bank account is mine." */
      consent: z.literal(true, 'choice_invalid'),
      ticketKey: z.optional(ticketKey),
    }),
    output: z.object({ sessionId: z.string(), checkout }),
    refusals: [
      'forbidden',
      'on_hold',
      'topups_paused',
      'changed_since_seen',
      'gateway_unavailable',
      'idempotency_mismatch',
      'ticket_key_taken',
      'overloaded',
      'too_many_requests',
    ],
  }),
  pauseAutopay: endpoint('POST /autopay/pause', {
    access: 'member',
    summary: 'Pauses it: nothing more is debited until the member resumes it.',
    ...changed,
    refusals: ['not_found', 'changed_since_seen'],
  }),
  resumeAutopay: endpoint('POST /autopay/resume', {
    access: 'verified',
    summary: 'Ends the pause.',
    ...changed,
    refusals: ['not_found', 'changed_since_seen'],
  }),
  retryAutopay: endpoint('POST /autopay/retry', {
    access: 'verified',
    summary: 'Tries again after three debits that the bank refused.',
    ...changed,
    refusals: ['not_found', 'changed_since_seen'],
  }),
  stopAutopay: endpoint('POST /autopay/stop', {
    access: 'member',
    summary: 'Stops it for good. A payment that the bank has begun may still arrive.',
    ...changed,
    refusals: ['not_found'],
  }),
  mandateWebhook: endpoint('POST /webhooks/cashfree-autopay', {
    access: 'signed',
    summary: 'Events of mandates and their debits; the event is stored, then the mandate is fetched from the gateway.',
    raw: true,
    output: z.object({ received: z.literal(true) }),
    refusals: ['webhook_signature', 'bad_json'],
  }),
} as const
