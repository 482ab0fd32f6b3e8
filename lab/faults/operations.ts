/**
 * An operation is a call that moves money.
 * - The journal has it before its first byte leaves, and its answer afterwards.
 * - An acknowledged operation may be repeated with its idempotency key.
 */
import type { OperationKind, Journal } from './journal.ts'
import type { Calls, Reply, Request } from './patient-calls.ts'
import type { Dice } from './random.ts'

const REMEMBERED = 200
const HEARD_MAX = 10_000

type Keyed = { readonly operation: number; readonly request: Request; readonly effectOf: (reply: Reply) => string | undefined }
export type Operations = ReturnType<typeof createOperations>

export function createOperations(calls: Calls, journal: Journal) {
  const remembered: Keyed[] = []
  /** The newest acknowledged operations: when each left and when it was acknowledged. */
  let heards: { readonly sentAt: number; readonly at: number }[] = []

  function heard(sentAt: number): void {
    heards.push({ sentAt, at: performance.now() })
    if (heards.length > 2 * HEARD_MAX) heards = heards.slice(-HEARD_MAX)
  }

  return {
    calls,
    heard,
    ok: (reply: Reply): boolean => reply.status >= 200 && reply.status < 300,
    field: (value: unknown, name: string): string => String((value as Record<string, unknown>)[name]),
    operation: async (
      what: { readonly kind: OperationKind; readonly memberId: string; readonly paise?: number; readonly subject?: string },
      request: Request,
      effectOf: (reply: Reply) => string | undefined,
    ): Promise<{ readonly reply: Reply; readonly effect: string | undefined }> => {
      const id = journal.tried({ ...what, ...(request.key === undefined ? {} : { key: request.key }) })
      const reply = await calls.patiently({ ...request, moves: true })
      const effect = effectOf(reply)
      if (effect === undefined) {
        journal.refused(id, typeof reply.body.code === 'string' ? reply.body.code : String(reply.status), reply.first)
        return { reply, effect }
      }
      journal.told(id, effect)
      heard(reply.sentAt)
      if (request.key !== undefined) {
        remembered.push({ operation: id, request, effectOf })
        if (remembered.length > REMEMBERED) remembered.shift()
      }
      return { reply, effect }
    },
    /** Repeats an operation with its key: the same answer and no new effect. */
    async repeat(dice: Dice): Promise<void> {
      if (remembered.length === 0) return
      const { operation: id, request, effectOf } = dice.pick(remembered)
      const reply = await calls.patiently({ ...request, moves: true })
      const effect = effectOf(reply)
      // No effect after a night, which ends an administrator's session; a join's key is remembered until the next join.
      if (effect !== undefined) journal.told(id, effect)
    },
    forget: (): void => void remembered.splice(0),
    /** The longest time without an acknowledgement from this moment until now. */
    longestSilence: (since: number): number => {
      const times = [since, ...heards.filter(({ at }) => at > since).map(({ at }) => at), performance.now()]
      return Math.max(...times.slice(1).map((time, index) => time - (times[index] as number)))
    },
    /** The time of the first acknowledgement of an operation that left after this moment. */
    acknowledgedAfter: (moment: number): number | undefined => heards.find(({ sentAt }) => sentAt >= moment)?.at,
  }
}
