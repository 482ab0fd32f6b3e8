/**
 * `roz keys reencrypt`: encrypts with SECRET_KEY all values that are encrypted with SECRET_KEY_OLD.
 * - It may run beside the server, which does the same in the background.
 * - It may be interrupted at any moment and repeated.
 * - Exit code 0 only if SECRET_KEY_OLD is no longer needed; 2 if it could not run to its end.
 */
import { exitCodeOnDatabase, type SecretTarget, secretsOf } from './command-database.ts'
import { ENCRYPTED_COLUMNS, ENCRYPTED_DATA } from '../encrypted-columns.ts'
import type { Db } from '../db/sql.ts'
import { createReencryption, inWords, listUnreadable } from '../secrets/reencryption.ts'

export async function reencryptNow(target: SecretTarget & { readonly portion?: number }): Promise<0 | 1 | 2> {
  const { say } = target
  const reencrypt = async (db: Db): Promise<0 | 1> => {
    const secrets = await secretsOf(target)
    const unreadable = await listUnreadable(db, secrets, ENCRYPTED_COLUMNS)
    if (unreadable.length > 0) {
      say(`${inWords(unreadable)}: encrypted with a key that is neither SECRET_KEY nor SECRET_KEY_OLD. Nothing was done.`)
      return 1
    }
    const error = ({ context }: { readonly context: string }): void => say(`${context} was altered: it cannot be decrypted.`)
    const reencryption = createReencryption({
      ...target,
      db,
      secrets,
      data: ENCRYPTED_DATA,
      log: { info: () => undefined, error } as never,
    })
    return (await run(reencryption, say)) ? 0 : 1
  }
  return exitCodeOnDatabase(
    target,
    { name: 'reencrypt' },
    reencrypt,
    (why) => `Not everything was encrypted again: ${why}. Run it again: it continues where it stopped.`,
  )
}

async function run({ step, listLeft, judge }: ReturnType<typeof createReencryption>, say: (line: string) => void): Promise<boolean> {
  const all = await listLeft()
  const counts = new Map<string, number>()
  for (let done = await step(); done !== undefined; done = await step()) {
    if (done.count === 0) continue
    const count = (counts.get(done.name) ?? 0) + done.count
    counts.set(done.name, count)
    say(`${done.name}: ${count} of ${Math.max(count, all.find(({ name }) => name === done.name)?.count ?? 0)}`)
  }
  const { canGo, line } = await judge()
  say(line)
  return canGo
}
