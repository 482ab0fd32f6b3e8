/** Which outcomes of a call count as an answer of the gateway. */
import { expect, test } from 'vitest'
import { queryableBy, sql } from '../db/sql.ts'
import { useTestDatabase } from '../testing/database.ts'
import { noting } from './gateway-silence.ts'
import {
  GatewayForeignError,
  GatewayMismatchError,
  GatewayRefusedError,
  GatewayUnavailableError,
  type StrangeWords,
} from './payments/port.ts'

const database = useTestDatabase()
const warned: string[] = []
const alarms: object[] = []

const gatewayOn = (db = database.db) =>
  noting(
    { db, warn: (_details, message) => void warned.push(message), alarm: (details) => void alarms.push(details) },
    'payments',
    {
      ask: async (error?: Error): Promise<string> => {
        if (error !== undefined) throw error
        return 'answer'
      },
      fetchOrder: async (_orderId: string): Promise<StrangeWords> => ({ strangeWords: ['PARTLY_PAID', 'PARTLY_PAID', 'HELD'] }),
      checkout: 'untouched',
    },
    ['ask', 'fetchOrder'],
  )
const silentSince = async (): Promise<string | undefined> =>
  (await database.db.query<{ since: string }>(sql`select since::text as since from gateway_silence`))[0]?.since

test('silence begins with the first call without an answer, lasts through further ones, and ends with any answer', async () => {
  const gateway = gatewayOn()
  const away = new GatewayUnavailableError('away')
  const refusedKeys = [401, 403].map((status) => new GatewayRefusedError('no', status, 'authentication_error'))
  const answers = [undefined, new GatewayRefusedError('no', 400, 'order_invalid'), new GatewayMismatchError('other')]
  for (const answer of answers) {
    await expect(gateway.ask(away)).rejects.toBe(away)
    const since = await silentSince()
    expect(since).toBeDefined()
    for (const error of [away, ...refusedKeys]) await expect(gateway.ask(error)).rejects.toBe(error)
    expect(await silentSince()).toBe(since)
    if (answer === undefined) expect(await gateway.ask()).toBe('answer')
    else await expect(gateway.ask(answer)).rejects.toBe(answer)
    expect(await silentSince()).toBeUndefined()
  }
  expect([gateway.checkout, warned]).toEqual(['untouched', []])
})

test('a note that cannot be written changes nothing about the call', async () => {
  const gateway = gatewayOn({ ...database.db, ...queryableBy(() => Promise.reject(new Error('the database is away'))) })
  expect(await gateway.ask()).toBe('answer')
  const away = new GatewayUnavailableError('away')
  await expect(gateway.ask(away)).rejects.toBe(away)
  expect(warned).toHaveLength(2)
})

test('an answer about another id is silence, and raises one alarm an hour for each kind of call', async () => {
  const gateway = gatewayOn()
  const foreign = new GatewayForeignError('about another id')
  for (const hours of [0, 0, 2]) {
    await database.db.query(sql`update foreign_answer set last_at = last_at - make_interval(hours => ${hours}::int)`)
    await expect(gateway.ask(foreign)).rejects.toBe(foreign)
  }
  expect(alarms).toMatchObject([
    { gateway: 'payments', call: 'ask' },
    { gateway: 'payments', call: 'ask' },
  ])
  expect(await silentSince()).toBeDefined()
  expect(await database.db.query(sql`select times::int as times from foreign_answer`)).toEqual([{ times: 3 }])
})

test('a word that the gateway’s documents do not list is named in one alarm an hour', async () => {
  alarms.length = 0
  const gateway = gatewayOn()
  for (const orderId of ['one', 'two']) await gateway.fetchOrder(orderId)
  const told = { gateway: 'payments', call: 'fetchOrder', id: 'one' }
  expect(alarms).toEqual([
    { ...told, word: 'PARTLY_PAID' },
    { ...told, word: 'HELD' },
  ])
})
