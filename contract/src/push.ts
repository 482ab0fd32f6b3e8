/** Results on a member's device: Web Push (api.md). A device is the session that asks. */
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { instant } from './shapes.ts'

const part = z.string('push_subscription_invalid').min(1, 'push_subscription_invalid')
/** As `PushSubscription.toJSON()` gives it; keys that browsers may add are passed over. */
export const pushSubscription = z.strictObject({
  endpoint: part.max(1000, 'push_subscription_invalid').meta({ description: "An https address at the browser's push service" }),
  keys: z.object({
    p256dh: part.max(100, 'push_subscription_invalid').meta({ description: 'An uncompressed P-256 point, base64url' }),
    auth: part.max(30, 'push_subscription_invalid').meta({ description: '16 bytes, base64url' }),
  }),
  expirationTime: z.number('push_subscription_invalid').nullable().optional(),
})

/** For the member's export. */
export const pushDevice = z.object({
  endpoint: z.string().meta({ description: 'Where the device is reached' }),
  since: instant,
})

export const pushCalls = {
  pushState: endpoint({
    method: 'GET',
    path: '/notifications/push',
    access: 'member',
    summary: 'The key that browsers subscribe with, and whether results come to this device.',
    output: z.object({
      publicKey: z.string().meta({ description: 'applicationServerKey: an uncompressed P-256 point, base64url' }),
      subscribed: z.boolean().meta({ description: 'This session has a device, under the key named here' }),
      wanted: z.boolean().meta({ description: 'The preference `push`: false ends it on every device' }),
    }),
    refusals: [],
  }),
  subscribePush: endpoint({
    method: 'POST',
    path: '/notifications/push',
    access: 'member',
    summary: "Takes a browser's push subscription for this session, in the place of an earlier one; the same again changes nothing.",
    body: pushSubscription,
    output: 'empty',
    status: 204,
    refusals: ['unauthenticated'],
  }),
  unsubscribePush: endpoint({
    method: 'DELETE',
    path: '/notifications/push',
    access: 'member',
    summary: 'Nothing more is sent to the device of this session.',
    output: 'empty',
    status: 204,
    refusals: [],
  }),
} as const
