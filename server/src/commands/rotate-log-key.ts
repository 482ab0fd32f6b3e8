/**
 * `roz keys rotate-log`: rotates the log's key (spec/protocol.md, chapter 9). It may run beside the server.
 * - The `key` record signed by the old key and the new key are written in one transaction.
 * - Exit code: 0 if it is replaced, 1 if it was replaced today already, 2 if it could not be replaced.
 */
import { exitCodeOnDatabase, type SecretTarget, secretsOf } from './command-database.ts'
import { type Db, violatedConstraint } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { createLogKeys } from '../transparency-log/log-key.ts'

export async function rotateLogKey(target: SecretTarget): Promise<0 | 1 | 2> {
  const { say } = target
  const rotate = async (db: Db): Promise<0 | 1> => {
    // This origin is never used: it is stored with the first key, and a log without a key cannot be rotated.
    const keys = createLogKeys({ secrets: await secretsOf(target), origin: 'nowhere/log' })
    try {
      const { old, now } = await inTransaction(db, (tx) => keys.rotate(tx))
      say(`The log's key was ${old.text}`)
      say(`and is from now on ${now.text}`)
      say('Print the new one wherever the old one was printed.')
      return 0
    } catch (error) {
      if (violatedConstraint(error) !== 'log_entry_day_kind_key') throw error
      say('The key was replaced today already: once a day is the most.')
      return 1
    }
  }
  return exitCodeOnDatabase(target, { name: 'rotate' }, rotate, (why) => `The key was not replaced: ${why}`)
}
