/**
 * `roz keys rotate-push`: makes a new key for push services. It may run beside the server.
 * - A device keeps the key of its subscription until its app is opened again.
 * - Exit code: 0 if it is replaced, 2 if not.
 */
import { exitCodeOnDatabase, sameSecrets, type SecretTarget } from './command-database.ts'
import type { Db } from '../db/sql.ts'
import { createPushKeys } from '../features/push/keys.ts'

export async function rotatePushKey(target: SecretTarget): Promise<0 | 1 | 2> {
  const { say } = target
  const rotate = async (db: Db): Promise<0> => {
    const secrets = await sameSecrets(target, db)
    const key = await createPushKeys({ secrets }).rotate(db)
    say(`The key for push services is now ${key.publicKey.toString('base64url')}`)
    say('A device changes to it when its app is opened. Until then it gets results under the key that it subscribed with.')
    return 0
  }
  return exitCodeOnDatabase(target, { name: 'rotate' }, rotate, (why) => `The key was not replaced: ${why}`)
}
