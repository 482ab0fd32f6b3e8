/** The gateway's sandbox as the tests use it: its control calls, and a shop that keeps its webhooks. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type SandboxOptions, startSandbox } from '@roz/gateway-sandbox/sandbox.ts'
import { closeServer, listen } from './listening.ts'

/** A sandbox on a free port, with a folder of its own. */
export async function openSandbox(options: Omit<SandboxOptions, 'port' | 'host' | 'dataDir'>) {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'roz-sandbox-'))
  const sandbox = await startSandbox({ port: 0, host: '127.0.0.1', dataDir, ...options })
  const { url } = sandbox
  const ask = async (where: string, init: RequestInit = {}): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${url}/__sandbox${where}`, { headers: { 'content-type': 'application/json' }, ...init })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${where}: ${answer.status} ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }
  return {
    url,
    look: (where: string) => ask(where),
    /** Plays the payer, the bank or a fault. */
    control: (where: string, body: unknown = {}) => ask(where, { method: 'POST', body: JSON.stringify(body) }),
    close: async (): Promise<void> => {
      await sandbox.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export type Webhook = { readonly headers: Readonly<Record<string, string>>; readonly bytes: Buffer }

/** A webhook with the headers that its receiver reads. Rejects if its connection breaks off. */
export async function readWebhook(request: IncomingMessage): Promise<Webhook> {
  const headers = Object.entries(request.headers).filter(([name]) => name.startsWith('x-') || name === 'content-type')
  return { headers: Object.fromEntries(headers) as Record<string, string>, bytes: await buffer(request) }
}

/** A server that keeps the webhooks it gets. */
export async function startShop() {
  const webhooks: Webhook[] = []
  const server = createServer((request, response) => {
    const keep = (webhook: Webhook): void => {
      webhooks.push(webhook)
      response.end()
    }
    readWebhook(request).then(keep, () => undefined)
  })
  return { url: await listen(server), webhooks, close: () => closeServer(server) }
}
