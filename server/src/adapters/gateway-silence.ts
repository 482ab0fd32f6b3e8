/**
 * Notes since when a gateway answers nothing, each answer that is not about our question, and unlisted words, for the operator's alerts.
 * - A question that fails is asked again later, so no question ever becomes old: only the time without any answer grows.
 * - A refusal is an answer, except of our keys (401, 403): then no question is answered either.
 * - An answer about another id, or an old one, is alarmed at most once an hour for each kind of call. So is each word that the gateway's
 *   documents do not list, by each process.
 * - A note that cannot be written changes nothing about the call.
 * - A start without a gateway forgets its silence: nobody asks it, so no answer would end the alert.
 */
import { type Queryable, sql } from '../db/sql.ts'
import { GatewayForeignError, GatewayRefusedError, GatewayUnavailableError, type StrangeWords } from './payments/port.ts'

type Gateway = 'payments' | 'payouts'
type Tell = (details: object, message: string) => void
type Call = (...words: readonly unknown[]) => Promise<unknown>

const isSilence = (error: unknown): boolean =>
  error instanceof GatewayUnavailableError ||
  (error instanceof GatewayRefusedError && (error.httpStatus === 401 || error.httpStatus === 403))

const noteSilence = (gateway: Gateway) => sql`insert into gateway_silence (gateway) values (${gateway}::text) on conflict do nothing`
const noteAnswer = (gateway: Gateway) => sql`delete from gateway_silence where gateway = ${gateway}::text`
/** `asked`: the gateways that the settings name. */
export const forgetSilence = (db: Queryable, asked: readonly Gateway[]): Promise<unknown> =>
  db.query(sql`delete from gateway_silence where gateway <> all (${[...asked]}::text[])`)
/** A row comes back if an hour has passed since the last such answer. */
const noteForeign = (gateway: Gateway, call: string) => sql`
  with before as (select last_at from foreign_answer where gateway = ${gateway}::text and call = ${call}::text)
  insert into foreign_answer as f (gateway, call) values (${gateway}::text, ${call}::text)
  on conflict (gateway, call) do update set last_at = roz_now(), times = f.times + 1
  returning (select last_at from before) is null or (select last_at from before) < roz_now() - interval '1 hour' as "isNews"`

const HOUR_MS = 3_600_000
/** More different words come from nobody's documents. */
const WORDS_MAX = 100
const strangeWordsIn = (answer: unknown): readonly string[] =>
  typeof answer === 'object' && answer !== null ? ((answer as StrangeWords).strangeWords ?? []) : []

/** The gateway, whose `calls` are noted. */
export function noting<G extends object>(
  deps: { readonly db: Queryable; readonly warn: Tell; readonly alarm: Tell },
  name: Gateway,
  gateway: G,
  calls: readonly (keyof G)[],
): G {
  const orWarn = (noting: Promise<unknown>): Promise<unknown> =>
    noting.catch((error: unknown) => deps.warn({ err: error }, 'whether the gateway answers could not be noted'))
  const note = (statement: ReturnType<typeof sql>): Promise<unknown> => orWarn(deps.db.query(statement))
  async function alarmForeign(call: string, error: GatewayForeignError): Promise<void> {
    const noted = await deps.db.maybeOne<{ isNews: boolean }>(noteForeign(name, call))
    if (noted?.isNews === true)
      deps.alarm({ err: error, gateway: name, call }, 'somebody answers in the gateway’s place; nothing was believed')
  }
  const toldAt = new Map<string, number>()
  function alarmStrange(call: string, asked: unknown, words: readonly string[]): void {
    for (const word of words) {
      const [key, now] = [`${call} ${word}`, performance.now()]
      if (now - (toldAt.get(key) ?? -HOUR_MS) < HOUR_MS) continue
      if (toldAt.size >= WORDS_MAX) toldAt.clear()
      toldAt.set(key, now)
      const details = { gateway: name, call, word: word.slice(0, 100), ...(typeof asked === 'string' ? { id: asked } : {}) }
      deps.alarm(details, 'the gateway used a word that its documents do not list; nothing was booked by it')
    }
  }
  const noted =
    (call: Call, called: string): Call =>
    async (...words) => {
      try {
        const answer = await call(...words)
        await note(noteAnswer(name))
        alarmStrange(called, words[0], strangeWordsIn(answer))
        return answer
      } catch (error) {
        await note(isSilence(error) ? noteSilence(name) : noteAnswer(name))
        if (error instanceof GatewayForeignError) await orWarn(alarmForeign(called, error))
        throw error
      }
    }
  return { ...gateway, ...Object.fromEntries(calls.map((call) => [call, noted(gateway[call] as Call, String(call))])) }
}
