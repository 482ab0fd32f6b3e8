/** The gateway's sandbox as the tests use it: its control calls, and a shop that keeps its webhooks. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type SandboxOptions, startSandbox } from '@roz/gateway-sandbox/sandbox.ts'
import { closeServer, listen } from './listening.ts'

/** A sandbox on a free port, with a folder of its own. */
export async function openSandbox(options: Omit<SandboxOptions, 'port' | 'host' | 'dataDir'>) {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'roz-sandbox-'))
  const sandbox = await startSandbox({ port: 0, host: '127.0.0.1', dataDir, ...options })
  const { url } = sandbox
  return {
    url,
    control: (where: string, body?: unknown) => playAt(url, where, body),
    close: async (): Promise<void> => {
      await sandbox.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Plays the payer, the bank or a fault. */
export async function playAt(sandboxUrl: string, where: string, body: unknown = {}): Promise<Record<string, unknown>> {
  const answer = await fetch(`${sandboxUrl}/__sandbox${where}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${where}: ${answer.status} ${text}`)
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
  return { url: await listen(server), webhooks, close: () => closeServer(server) }
}
