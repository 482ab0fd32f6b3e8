/** Sends a request exactly as it was made: duplicate headers, odd paths and all. */
import { Agent, request as httpRequest } from 'node:http'
import type { FuzzRequest } from './requests.ts'

export type Answer = { readonly status: number; readonly type: string; readonly body: Buffer }

const ANSWER_WITHIN_MS = 30_000

/** Undefined for an answer that did not come: a broken connection. */
export function createSender(origin: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const { hostname, port } = new URL(origin)
  const send = ({ method, address, headers, body }: FuzzRequest): Promise<Answer | string> =>
    new Promise((resolve) => {
      const all = headers.flatMap(([name, value]) => [name, value])
      if (!headers.some(([name]) => name === 'host')) all.push('host', `${hostname}:${port}`)
      // Without a length Node would send an empty body in chunks.
      if (body !== undefined || !['GET', 'HEAD'].includes(method)) all.push('content-length', String(body?.length ?? 0))
      let settled = false
      const settle = (answer: Answer | string): void => {
        if (!settled) resolve(answer)
        settled = true
      }
      try {
        const call = httpRequest({ agent, hostname, port, method, path: address, headers: all, timeout: ANSWER_WITHIN_MS }, (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => void chunks.push(chunk))
          response.on('error', (error) => settle(error.message))
          response.on('end', () =>
            settle({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', body: Buffer.concat(chunks) }),
          )
        })
        call.on('timeout', () => call.destroy(new Error(`no answer within ${ANSWER_WITHIN_MS / 1000} s`)))
        call.on('error', (error) => settle(error.message))
        call.end(body)
      } catch (error) {
        settle(`not sent: ${(error as Error).message}`)
      }
    })
  return { send, close: (): void => agent.destroy() }
}
