/**
 * Results on members' devices (Web Push). Invariants: nothing is sent to a device that did not ask for
 * it, nor to one that is signed out; where a device is reached stands in no log.
 */
import { ECDH } from 'node:crypto'
import type { PushSender } from '../../adapters/push/port.ts'
import { type Db, one, sql } from '../../db/sql.ts'
import { type Handlers, invalid } from '../../http/route.ts'
import type { JobPayloads } from '../../jobs/queue.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { addDevice, findDeviceKey, listDevices, removeDevice } from './devices.ts'
import { createPushKeys } from './keys.ts'
import { cutIntoPages, tellPage } from './results.ts'

export type PushDeps = {
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

  const handlers: Handlers<'pushState' | 'subscribePush' | 'unsubscribePush'> = {
    pushState: async ({ session: { memberId, tokenHash } }) => {
      const { publicKey, number } = await keys.inForce(db)
      const { wanted } = await one<{ wanted: boolean }>(db, sql`select wants_push as wanted from member where id = ${memberId}::bigint`)
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
  }

  return {
    handlers,
    /** At a start: the first one makes the key, so that no call that only asks writes anything. */
    ready: async (): Promise<void> => {
      await keys.inForce(db)
    },
    /** For the member's export. */
    exports: { devices: (memberId: bigint) => listDevices(db, secrets, memberId) },
    jobs: {
      push_round: (payload: JobPayloads['push_round']) => cutIntoPages(db, payload),
      push_page: (payload: JobPayloads['push_page']) => tellPage({ ...deps, keys }, payload),
    },
  }
}

/** Exactly base64url, so that what is stored can be read by everybody. */
function bytesOf(text: string): Buffer | undefined {
  return /^[\w-]+$/.test(text) ? Buffer.from(text, 'base64url') : undefined
}

/** A point that lies on the curve: any other could not be encrypted for, and is how keys are attacked. */
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
