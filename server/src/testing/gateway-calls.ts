/** The gateway's sandbox as the tests use it: its control calls, and a shop that keeps its webhooks. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Plays the payer, the bank or a fault. */
export async function playAt(sandboxUrl: string, path: string, body: unknown = {}): Promise<Record<string, unknown>> {
  const answer = await fetch(`${sandboxUrl}/__sandbox${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}

export type Webhook = { readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }

export async function startShop() {
  const webhooks: Webhook[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      webhooks.push({ headers: request.headers, bytes: Buffer.concat(chunks) })
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    webhooks,
    close(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}
