/** Calls of Web Push: messages on a member's device. A device is the session that makes the call. */
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { instant } from './shapes.ts'

const part = z.string('push_subscription_invalid').min(1, 'push_subscription_invalid')
/** The JSON of `PushSubscription.toJSON()`; further keys that browsers may add are ignored. */
const pushSubscription = z.strictObject({
  endpoint: part.max(1000, 'push_subscription_invalid').meta({ description: "An https address at the browser's push service" }),
  keys: z.object({
    p256dh: part.max(100, 'push_subscription_invalid').meta({ description: 'An uncompressed P-256 point, base64url' }),
    auth: part.max(30, 'push_subscription_invalid').meta({ description: '16 bytes, base64url' }),
  }),
  expirationTime: z.number('push_subscription_invalid').nullable().optional(),
})

/** A device in the member's export. */
export const pushDevice = z.object({
  endpoint: z.string().meta({ description: 'The address of the device at its push service' }),
  since: instant,
})

export const pushCalls = {
  pushState: endpoint('GET /notifications/push', {
    access: 'member',
    summary: 'The key that browsers subscribe with, and whether this device gets results.',
    output: z.object({
      publicKey: z.string().meta({ description: 'applicationServerKey: an uncompressed P-256 point, base64url' }),
      subscribed: z.boolean().meta({ description: 'This session has a device, under the key named here' }),
      wanted: z.boolean().meta({ description: 'The preference `push`: false ends it on every device' }),
    }),
    refusals: [],
  }),
  subscribePush: endpoint('POST /notifications/push', {
    access: 'member',
    summary: "Stores a browser's push subscription for this session and replaces an earlier one; a repeat changes nothing.",
    body: pushSubscription,
    output: 'empty',
    status: 204,
    refusals: ['unauthenticated'],
  }),
  unsubscribePush: endpoint('DELETE /notifications/push', {
    access: 'member',
    summary: 'Removes the device of this session: nothing more is sent to it.',
    output: 'empty',
    status: 204,
    refusals: [],
  }),
  silenceReminder: endpoint('POST /notifications/reminder/silence', {
    access: 'visitor',
    summary:
      '“Not today”: silences the evening reminder on all devices for its day, by the token in the reminder. A repeat changes nothing.',
    body: z.strictObject({ token: z.string('wrong_type').max(200) }),
    output: 'empty',
    status: 204,
    refusals: ['not_found'],
  }),
} as const
