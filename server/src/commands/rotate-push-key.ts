/**
 * `roz keys rotate-push`: makes a new key for push services. It may run beside the server.
 * - A device keeps the key of its subscription until its app is opened again.
 */
import { onDatabase } from './command-database.ts'
import { connect } from '../db/sql.ts'
import { createPushKeys } from '../features/push/keys.ts'
import type { RotateTarget } from './rotate-log-key.ts'
import { ensureSecretKey } from '../secrets/secret-key.ts'
import { createSecrets } from '../secrets/secrets.ts'

export async function rotatePushKey(target: RotateTarget): Promise<0 | 1> {
  const { say, dataDir, namedStatements, secretKey, secretKeyOld } = target
  const done = await onDatabase(target, async (url) => {
    const db = connect({ url, max: 1, named: namedStatements, applicationName: 'roz-rotate' })
    try {
      const secrets = createSecrets({ secretKey: secretKey ?? (await ensureSecretKey(dataDir)), secretKeyOld })
      const key = await createPushKeys({ secrets }).rotate(db)
      say(`The key for push services is now ${key.publicKey.toString('base64url')}`)
      say('A device changes to it when its app is opened. Until then it gets results under the key that it subscribed with.')
      return true
    } catch (error) {
      say(`The key was not replaced: ${String(error)}`)
      return false
    } finally {
      await db.close()
    }
  })
  return done === true ? 0 : 1
}
