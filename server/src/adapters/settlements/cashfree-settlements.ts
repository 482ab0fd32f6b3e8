/**
 * The settlements' port over Cashfree's HTTP API. `../cashfree/calls.ts` makes the calls.
 * - Both calls only read, so each is sent again once after a broken connection.
 * - Events of another settlement than the one asked for, and a cursor that leads back to the same page, are refused.
 */
import { type ApiConfig, cashfreeApi, expectOk, expectSame, type GatewayAnswer, read } from '../cashfree/calls.ts'
import { GatewayUnavailableError } from '../payments/port.ts'
import type { SettlementGateway } from './port.ts'
import { readEvents, readSettlements, wireEvents, wireSettlements } from './wire.ts'

/** An event is less than 3 KB, and an answer is at most 1 MB (cashfree/calls.ts). */
const ROWS = 300

export function cashfreeSettlements(config: ApiConfig, rows = ROWS): SettlementGateway {
  const api = cashfreeApi(config)
  const ask = async (path: string, filters: object, cursor: string | undefined): Promise<GatewayAnswer> =>
    api.twice({ method: 'POST', path, body: { pagination: { limit: rows, ...(cursor === undefined ? {} : { cursor }) }, filters } })

  return {
    listSettlements: async ({ from, until, cursor }) => {
      const answer = await ask('/settlements', { start_date: from, end_date: until }, cursor)
      const body = read(wireSettlements, expectOk(answer), answer)
      return { rows: readSettlements(body), cursor: nextOf(body.cursor, cursor) }
    },
    listSettlementEvents: async ({ settlementId, cursor }) => {
      const answer = await ask('/settlement/recon', { cf_settlement_ids: [settlementId] }, cursor)
      const body = read(wireEvents, expectOk(answer), answer)
      const events = readEvents(body)
      expectSame(
        answer,
        events.map((event) => [event.settlementId, settlementId]),
      )
      return { rows: events, cursor: nextOf(body.cursor, cursor) }
    },
  }
}

function nextOf(next: string | undefined, before: string | undefined): string | undefined {
  if (next !== undefined && next === before) throw new GatewayUnavailableError('The cursor of a list leads to the same page again')
  return next
}
