/**
 * Results, stories and evening reminders on members' devices (Web Push).
 *
 * - Nothing is sent to a device that did not subscribe, or that is logged out.
 * - A device's address is never logged.
 */
import { ECDH } from 'node:crypto'
import type { PushSender } from '../../adapters/push/port.ts'
import { type Db, sql } from '../../db/sql.ts'
import { type Handlers, invalid } from '../../http/route.ts'
import type { JobPayloads } from '../../jobs/queue.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { addDevice, findDeviceKey, listDevices, removeDevice } from './devices.ts'
import { createPushKeys } from './keys.ts'
import { cutIntoPages, tellPage } from './results.ts'
import { cutFollowUpPages, tellFollowUpPage } from './follow-up-news.ts'
import { remindDue, silence, tellReminder } from './reminders.ts'
import { cutStoryPages, tellStoryPage } from './story-news.ts'

type PushDeps = {
  readonly db: Db
  readonly push: PushSender
  readonly secrets: Secrets
  readonly warn: (details: object, message: string) => void
}

const POINT_BYTES = 65
const AUTH_BYTES = 16

export function createPush(deps: PushDeps) {
  const { db, push, secrets } = deps
  const keys = createPushKeys(deps)

  const handlers: Handlers<'pushState' | 'subscribePush' | 'unsubscribePush' | 'silenceReminder'> = {
    pushState: async ({ session: { memberId, tokenHash } }) => {
      const { publicKey, number } = await keys.inForce(db)
      const { wanted } = await db.one<{ wanted: boolean }>(sql`select wants_push as wanted from member where id = ${memberId}::bigint`)
      const subscribed = (await findDeviceKey(db, tokenHash)) === number
      return { ok: true, value: { publicKey: publicKey.toString('base64url'), subscribed, wanted } }
    },
    subscribePush: async ({ session: { memberId, tokenHash }, body }) => {
      const { endpoint, keys: given } = body
      if (!push.accepts(endpoint)) return invalid({ endpoint: 'push_service_unknown' })
      if (!isPoint(given.p256dh)) return invalid({ 'keys.p256dh': 'push_subscription_invalid' })
      if (bytesOf(given.auth)?.length !== AUTH_BYTES) return invalid({ 'keys.auth': 'push_subscription_invalid' })
      const { number } = await keys.inForce(db)
      const target = { endpoint, p256dh: given.p256dh, auth: given.auth }
      const isAdded = await addDevice(db, secrets, { sessionHash: tokenHash, memberId, target, keyNumber: number })
      return isAdded ? { ok: true, value: undefined } : { ok: false, code: 'unauthenticated' }
    },
    unsubscribePush: async ({ session: { memberId, tokenHash } }) => {
      await removeDevice(db, memberId, tokenHash)
      return { ok: true, value: undefined }
    },
    silenceReminder: (given) => silence(db, secrets, given),
  }

  return {
    handlers,
    /** Makes the first key at a start, so that calls that only read need not write. */
    ready: async (): Promise<void> => {
      await keys.inForce(db)
    },
    exports: { devices: (memberId: bigint) => listDevices(db, secrets, memberId) },
    /** Finds the members whose evening reminder is due. */
    due: () => remindDue(db),
    jobs: {
      push_round: (payload: JobPayloads['push_round']) => cutIntoPages(db, payload),
      push_page: (payload: JobPayloads['push_page']) => tellPage({ ...deps, keys }, payload),
      push_story: (payload: JobPayloads['push_story']) => cutStoryPages(db, payload),
      push_story_page: (payload: JobPayloads['push_story_page']) => tellStoryPage({ ...deps, keys }, payload),
      push_follow_up: (payload: JobPayloads['push_follow_up']) => cutFollowUpPages(db, payload),
      push_follow_up_page: (payload: JobPayloads['push_follow_up_page']) => tellFollowUpPage({ ...deps, keys }, payload),
      push_reminder: (payload: JobPayloads['push_reminder']) => tellReminder({ ...deps, keys }, payload),
    },
  }
}

/** Accepts only base64url, so that every client can read the stored value. */
function bytesOf(text: string): Buffer | undefined {
  return /^[\w-]+$/.test(text) ? Buffer.from(text, 'base64url') : undefined
}

/** Accepts only a point on the curve: other points cannot be encrypted for, and serve attacks on keys. */
function isPoint(text: string): boolean {
  const bytes = bytesOf(text)
  if (bytes?.length !== POINT_BYTES || bytes[0] !== 4) return false
  try {
    ECDH.convertKey(bytes, 'prime256v1')
    return true
  } catch {
    return false
  }
}
