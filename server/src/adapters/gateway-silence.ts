/**
 * Notes since when a gateway answers nothing, for the operator's alert.
 * - A question that fails is asked again later, so no question ever becomes old: only the time without any answer grows.
 * - A refusal is an answer, except of our keys (401, 403): then no question is answered either.
 * - A note that cannot be written changes nothing about the call.
 */
import { type Queryable, sql } from '../db/sql.ts'
import { GatewayRefusedError, GatewayUnavailableError } from './payments/port.ts'

type Gateway = 'payments' | 'payouts'
type Warn = (details: object, message: string) => void
type Call = (...words: readonly unknown[]) => Promise<unknown>

const isSilence = (error: unknown): boolean =>
  error instanceof GatewayUnavailableError ||
  (error instanceof GatewayRefusedError && (error.httpStatus === 401 || error.httpStatus === 403))

const noteSilence = (gateway: Gateway) => sql`insert into gateway_silence (gateway) values (${gateway}::text) on conflict do nothing`
const noteAnswer = (gateway: Gateway) => sql`delete from gateway_silence where gateway = ${gateway}::text`

/** The gateway, whose `calls` are noted. */
export function noting<G extends object>(
  deps: { readonly db: Queryable; readonly warn: Warn },
  name: Gateway,
  gateway: G,
  calls: readonly (keyof G)[],
): G {
  const note = async (statement: ReturnType<typeof sql>): Promise<void> => {
    await deps.db.query(statement).catch((error: unknown) => deps.warn({ err: error }, 'whether the gateway answers could not be noted'))
  }
  const noted =
    (call: Call): Call =>
    async (...words) => {
      try {
        const answer = await call(...words)
        await note(noteAnswer(name))
        return answer
      } catch (error) {
        await note(isSilence(error) ? noteSilence(name) : noteAnswer(name))
        throw error
      }
    }
  return { ...gateway, ...Object.fromEntries(calls.map((call) => [call, noted(gateway[call] as Call)])) }
}
