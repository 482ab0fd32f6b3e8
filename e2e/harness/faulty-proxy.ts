/**
 * A proxy between browser and server that a test can break for one call at a time.
 * - A call without a fault passes unchanged.
 * - A call with a fault never reaches the server, except `hold`: the server gets that call after `mend`.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The faults.
 * - `cut`: the connection breaks. `silent`: no answer ever arrives.
 * - `hold`: no answer until the line is mended, then the true one.
 * - `wordless`: a proxy's own error page, as when its server is down. `empty`: an error without a body.
 * - An object: an answer that the server never gave.
 */
export type Fault =
  | 'cut'
  | 'silent'
  | 'hold'
  | 'wordless'
  | 'empty'
  | { readonly status: number; readonly body: string; readonly type?: string }

/** Each failure without a message of the server's own; `nothing` is the body of an answer that carries none. */
export const wordlessFaults = (nothing: string): readonly (readonly [how: string, fault: Fault])[] => [
  ['an empty answer', 'empty'],
  ['an error page of a proxy', 'wordless'],
  ['an answer without data', { status: 200, body: nothing }],
  ['a cut connection', 'cut'],
]

export type FaultyProxy = {
  readonly url: string
  /** `line` is a method and a path without its query: 'POST /api/rounds/join'. Several faults can be set at once. */
  readonly breakLine: (line: string, fault: Fault) => void
  /** Removes all faults: calls on `hold` are forwarded to the server, silent calls end. */
  readonly mend: () => void
  readonly close: () => Promise<void>
}

const JSON_TYPE = 'application/json'

function pass(request: http.IncomingMessage, response: http.ServerResponse, targetPort: number): void {
  const { method, url: path, headers } = request
  const forward = http.request({ host: '127.0.0.1', port: targetPort, method, path, headers, agent: false })
  forward.on('error', () => response.destroy())
  forward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
    answer.on('aborted', () => response.destroy())
  })
  response.on('close', () => forward.destroy())
  request.pipe(forward)
}

function answer(response: http.ServerResponse, status: number, body: string, type = JSON_TYPE): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', connection: 'close' }).end(body)
}

/** Nothing needs to listen on the target port yet. */
export async function startFaultyProxy(targetPort: () => number): Promise<FaultyProxy> {
  const faults = new Map<string, Fault>()
  /** Releases each unanswered request when the line is mended. */
  let unanswered: (() => void)[] = []
  const server = http.createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    const fault = faults.get(`${request.method} ${path}`)
    if (fault === undefined) return pass(request, response, targetPort())
    if (fault === 'hold') return void unanswered.push(() => pass(request, response, targetPort()))
    request.resume()
    if (fault === 'cut') request.socket.destroy()
    else if (fault === 'silent') unanswered.push(() => response.destroy())
    else if (fault === 'wordless') answer(response, 502, '<html><h1>502 Bad Gateway</h1></html>', 'text/html')
    else if (fault === 'empty') answer(response, 500, '')
    else answer(response, fault.status, fault.body, fault.type)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    breakLine: (line, fault) => void faults.set(line, fault),
    mend: () => {
      faults.clear()
      const waiting = unanswered
      unanswered = []
      for (const goOn of waiting) goOn()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
