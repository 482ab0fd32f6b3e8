/** Bodies that are no JSON of a schema: uploads, webhooks and signed notes. */
import { createHmac } from 'node:crypto'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import type { Dice } from '../faults/random.ts'
import { png } from '../../e2e/harness/pictures.ts'
import { type Place, wrong } from './values.ts'

type Sent = { readonly body: Buffer; readonly type: string; readonly headers?: readonly (readonly [string, string])[] }

const BOUNDARY = 'fuzz-boundary'
const TOO_LARGE = Buffer.alloc(11 * 1024 * 1024)
const NO_PICTURES: readonly (() => Buffer)[] = [
  () => Buffer.alloc(0),
  () => Buffer.from('hello'),
  () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
  () => picture(3).subarray(0, 40),
  () => Buffer.from('GIF89a\xff\xff\xff\xff', 'latin1'),
  () => Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1'),
]

const picture = (shade: number): Buffer => png(2, 2, () => [shade % 256, (shade >> 8) % 256, (shade >> 16) % 256])

/** A picture as a form; a wrong one differs in its parts, its file, or its end. */
export function uploadBody({ field }: NonNullable<EndpointSpec['upload']>, dice: Dice, isWrong: boolean): Sent {
  const type = `multipart/form-data; boundary=${BOUNDARY}`
  const file = isWrong && dice.chance(0.5) ? dice.pick(NO_PICTURES)() : picture(dice.below(1 << 24))
  const part = (name: string, bytes: Buffer, filename = '; filename="a.png"'): Buffer =>
    Buffer.concat([
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${filename}\r\nContent-Type: image/png\r\n\r\n`),
      bytes,
      Buffer.from('\r\n'),
    ])
  const end = Buffer.from(`--${BOUNDARY}--\r\n`)
  if (!isWrong) return { type, body: Buffer.concat([part(field, file), end]) }
  const spoiled: readonly (() => Buffer)[] = [
    () => Buffer.concat([part(field, file), end]),
    () => Buffer.concat([part('picture', file), end]),
    () => Buffer.concat([part(field, file), part(field, file), end]),
    () => Buffer.concat([part(field, file, ''), end]),
    () => part(field, file),
    () => Buffer.concat([part(`${field}\0`, file, '; filename="../../a\0.png"'), end]),
    () => Buffer.from('x'),
    () => end,
    () => (dice.chance(0.1) ? Buffer.concat([part(field, TOO_LARGE), end]) : Buffer.alloc(0)),
  ]
  return { type, body: dice.pick(spoiled)() }
}

/** A webhook about something known, or a checkpoint with a signature. */
export function rawBody(spec: EndpointSpec, place: Place, isWrong: boolean): Sent {
  const { dice, known } = place
  if (spec.access !== 'signed') {
    const note = `roz.example/log\n${dice.below(90)}\n${Buffer.alloc(32, dice.below(256)).toString('base64')}\n\n— witness.example ${Buffer.alloc(76).toString('base64')}\n`
    return { type: 'text/plain', body: isWrong ? Buffer.from(JSON.stringify(wrong(dice)) ?? '') : Buffer.from(note) }
  }
  const order_id = known.any('order')
  const data = {
    order: { order_id, order_amount: 20, order_currency: 'INR' },
    payment: { cf_payment_id: `p${dice.below(1e6)}`, payment_status: dice.pick(['SUCCESS', 'FAILED']), payment_amount: 20 },
    refund: { order_id, refund_id: known.any('/admin/refunds'), refund_status: 'SUCCESS', refund_amount: 1 },
    transfer_id: known.any('/admin/withdrawals').replaceAll('-', ''),
    dispute: { dispute_id: String(dice.below(1e6)), dispute_status: 'CHARGEBACK_CREATED' },
    order_details: { order_id },
  }
  const type = dice.pick([
    'PAYMENT_SUCCESS_WEBHOOK',
    'REFUND_STATUS_WEBHOOK',
    'DISPUTE_CREATED',
    'TRANSFER_SUCCESS',
    'TRANSFER_REVERSED',
    'UNKNOWN',
  ])
  const event = { type, event_time: new Date(0).toISOString(), data: isWrong && dice.chance(0.5) ? wrong(dice) : data }
  return { type: 'application/json', body: Buffer.from(JSON.stringify(event)) }
}

const SECRETS = { payments: 'sandbox-secret', payouts: 'sandbox-payout-secret' } as const

/** The signature that the gateway would give to these bytes at this time. */
export function signed(body: Buffer, path: string, atMs: number): readonly (readonly [string, string])[] {
  const secret = path.endsWith('payouts') ? SECRETS.payouts : SECRETS.payments
  const timestamp = String(atMs)
  const signature = createHmac('sha256', secret).update(timestamp).update(body).digest('base64')
  return [
    ['x-webhook-timestamp', timestamp],
    ['x-webhook-signature', signature],
    ['x-webhook-version', '2025-01-01'],
  ]
}
