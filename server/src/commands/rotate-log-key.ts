/**
 * `roz keys rotate-log`: rotates the log's key (spec/protocol.md, chapter 9). It may run beside the server.
 * - The `key` record signed by the old key and the new key are written in one transaction.
 */
import { onDatabase, type SecretTarget, secretsOf } from './command-database.ts'
import { violatedConstraint } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { createLogKeys } from '../transparency-log/log-key.ts'

export async function rotateLogKey(target: SecretTarget): Promise<0 | 1> {
  const { say } = target
  const done = await onDatabase(target, { name: 'rotate' }, async (db) => {
    try {
      const secrets = await secretsOf(target)
      // This origin is never used: it is stored with the first key, and a log without a key cannot be rotated.
      const keys = createLogKeys({ secrets, origin: 'nowhere/log' })
      const { old, now } = await inTransaction(db, (tx) => keys.rotate(tx))
      say(`The log's key was ${old.text}`)
      say(`and is from now on ${now.text}`)
      say('Print the new one wherever the old one was printed.')
      return true
    } catch (error) {
      const isSecond = violatedConstraint(error) === 'log_entry_day_kind_key'
      say(isSecond ? 'The key was replaced today already: once a day is the most.' : `The key was not replaced: ${String(error)}`)
      return false
    }
  })
  return done === true ? 0 : 1
}
