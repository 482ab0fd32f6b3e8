/**
 * Runs work for a page of members in one transaction, even if it fails for a few of them.
 * - The part that fails is rolled back to a savepoint and halved, until the failing member is alone.
 * - A lost connection, a deadlock, or more failing members than FAILING_MAX fail the whole page: that is no member's fault.
 */
import { DatabaseUnavailableError, sql } from './sql.ts'
import { isConflict, type Tx } from './transaction.ts'

export type Failing = { readonly memberId: bigint; readonly error: unknown }

const FAILING_MAX = 10

/** Returns the members for whom the work fails even when it runs for them alone. `work` gets a part of `members`, in their order. */
export async function inHalves(
  tx: Tx,
  members: readonly bigint[],
  work: (part: readonly bigint[]) => Promise<void>,
): Promise<readonly Failing[]> {
  const failing: Failing[] = []
  async function run(part: readonly bigint[]): Promise<void> {
    const [memberId] = part
    if (memberId === undefined) return
    const error = await rolledBack(tx, () => work(part))
    if (error === undefined) return
    if (part.length > 1) {
      const middle = part.length >> 1
      await run(part.slice(0, middle))
      await run(part.slice(middle))
    } else if (failing.push({ memberId, error }) > FAILING_MAX) throw error
  }
  await run(members)
  return failing
}

/** Runs the work under a savepoint. Returns the error that undid it. */
async function rolledBack(tx: Tx, work: () => Promise<void>): Promise<Error | undefined> {
  await tx.query(sql`savepoint part`)
  let undone: Error | undefined
  try {
    await work()
  } catch (error) {
    if (error instanceof DatabaseUnavailableError || isConflict(error)) throw error
    undone = error instanceof Error ? error : new Error(String(error))
    await tx.query(sql`rollback to savepoint part`)
  }
  await tx.query(sql`release savepoint part`)
  return undone
}
