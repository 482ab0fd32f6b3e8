/** `npm run rotate-push-key`: a new key towards push services, also while the server runs. Devices stay under theirs until they come over. */
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
      say(`The key towards push services is from now on ${key.publicKey.toString('base64url')}`)
      say('Devices come over to it as their app is opened; until then they are told under the key they subscribed with.')
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
