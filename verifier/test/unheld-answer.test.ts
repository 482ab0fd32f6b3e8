/** Garbage collection between opening a file and reading its first piece must not truncate the file. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { urlSource } from '../src/sources.ts'

setFlagsFromString('--expose-gc')
const clean = runInNewContext('gc') as () => void

test('a file is read completely after garbage collection between open and read', async () => {
  const server = createServer((_request, response) => void response.end(Buffer.alloc(400_000, 1)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const source = urlSource(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const opened = await Promise.all(Array.from({ length: 8 }, () => source.open('liabilities/2026-11-21')))
  for (let n = 0; n < 5; n++) {
    clean()
    await sleep(10)
  }
  for (const stream of opened) {
    let bytes = 0
    for await (const piece of stream?.pieces ?? []) bytes += piece.length
    expect(bytes).toBe(400_000)
  }
  server.closeAllConnections()
  server.close()
})
