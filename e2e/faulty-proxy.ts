/**
 * A network between a browser and a server that can be broken for one path, as networks and proxies
 * break. Invariant: what it is not told to break passes unchanged, and broken answers never reach
 * the server behind it.
 */
import http from 'node:http'
import { freePorts } from './program.ts'

/** A connection cut, one that never answers, or an answer that the server never gave. */
export type Fault = 'cut' | 'silent' | { readonly status: number; readonly body: string; readonly type?: string }

/** What a proxy of a hoster says when its server is away: no words of ours in it. */
export const PROXY_PAGE: Fault = { status: 502, body: '<html><h1>502 Bad Gateway</h1></html>', type: 'text/html' }
export const EMPTY: Fault = { status: 500, body: '' }

export type FaultyProxy = {
  readonly url: string
  /** Every request whose path begins so, until `mend`. */
  readonly fault: (path: string, fault: Fault) => void
  readonly mend: () => void
  readonly close: () => Promise<void>
}

function answerFaulty(response: http.ServerResponse, fault: Exclude<Fault, 'silent'>): void {
  if (fault === 'cut') return void response.destroy()
  response.writeHead(fault.status, { 'content-type': fault.type ?? 'application/json', 'cache-control': 'no-store' }).end(fault.body)
}

function passOn(request: http.IncomingMessage, response: http.ServerResponse, targetPort: number): void {
  const { method, url: path, headers } = request
  const forward = http.request({ host: '127.0.0.1', port: targetPort, method, path, headers, agent: false })
  forward.on('error', () => response.destroy())
  forward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  response.on('close', () => forward.destroy())
  request.pipe(forward)
}

export async function startFaultyProxy(targetPort: () => number): Promise<FaultyProxy> {
  const port = await freePorts()
  let broken: { readonly path: string; readonly fault: Fault } | undefined
  const unanswered = new Set<http.ServerResponse>()
  const server = http.createServer((request, response) => {
    if (broken !== undefined && request.url?.startsWith(broken.path)) {
      request.resume()
      if (broken.fault === 'silent') return void unanswered.add(response)
      return answerFaulty(response, broken.fault)
    }
    passOn(request, response, targetPort())
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${port}`,
    fault: (path, fault) => {
      broken = { path, fault }
    },
    mend: () => {
      broken = undefined
      for (const response of unanswered) response.destroy()
      unanswered.clear()
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
