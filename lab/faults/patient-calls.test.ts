/** A 500 is retried like any answer that says nothing, and is remembered with the line that the server logged about it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCalls } from './patient-calls.ts'

/** The answers to the next requests; 200 afterwards. */
const next: number[] = []
const server = createServer((_request, response) => {
  const status = next.shift() ?? 200
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': `request-${status}` }).end('{}')
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => server.close())

const callsTo = (): ReturnType<typeof createCalls> => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return createCalls({ origin: () => `http://127.0.0.1:${port}`, forgetsKeys: false })
}

test('a 500 is retried and told with its log line; a 503 is only retried', async () => {
  next.push(503, 500)
  const calls = callsTo()
  expect((await calls.patiently({ path: '/api/rounds/join' })).status).toBe(200)
  expect([...calls.statuses()]).toEqual([
    [503, 1],
    [500, 1],
  ])
  const printed = (): string => '{"reqId":"request-503","msg":"unavailable"}\n{"reqId":"request-500","msg":"fault"}\n'
  expect(calls.faults(printed)).toEqual(['/api/rounds/join answered 500 {}, logged as {"reqId":"request-500","msg":"fault"}'])
})

test('a 500 that no server logged is told, too', async () => {
  next.push(500)
  const calls = callsTo()
  await calls.patiently({ path: '/api/me' })
  expect(calls.faults(() => '')).toEqual(['/api/me answered 500 {}, which no server logged'])
})
