/** The sandbox answers only under the names of this machine: a web page must not play the bank. */
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startSandbox } from './sandbox.ts'

test('a request under another name is refused with 421 before anything else; localhost and 127.0.0.1 are served', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-names-'))
  const sandbox = await startSandbox({ port: 0, host: '127.0.0.1', dataDir, pg: { clientId: 'id', clientSecret: 'secret' } })
  const statusAt = (host: string, path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const sent = request(`${sandbox.url}${path}`, { headers: { host } }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      sent.on('error', reject)
      sent.end()
    })
  for (const host of ['localhost:8081', '127.0.0.1', new URL(sandbox.url).host]) expect(await statusAt(host, '/healthz')).toBe(200)
  for (const path of ['/healthz', '/', '/nowhere']) expect(await statusAt('evil.example:8081', path)).toBe(421)
  await sandbox.close()
  rmSync(dataDir, { recursive: true })
})
