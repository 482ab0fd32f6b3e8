/**
 * `roz keys rotate-push`: makes a new key for push services. It may run beside the server.
 * - A device keeps the key of its subscription until its app is opened again.
 */
import { onDatabase, type SecretTarget, secretsOf } from './command-database.ts'
import { createPushKeys } from '../features/push/keys.ts'

export async function rotatePushKey(target: SecretTarget): Promise<0 | 1> {
  const { say } = target
  const done = await onDatabase(target, { name: 'rotate' }, async (db) => {
    try {
      const secrets = await secretsOf(target)
      const key = await createPushKeys({ secrets }).rotate(db)
      say(`The key for push services is now ${key.publicKey.toString('base64url')}`)
      say('A device changes to it when its app is opened. Until then it gets results under the key that it subscribed with.')
      return true
    } catch (error) {
      say(`The key was not replaced: ${String(error)}`)
      return false
    }
  })
  return done === true ? 0 : 1
}
