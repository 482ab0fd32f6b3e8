/**
 * A line between a browser and a server that a test can break on one path at a time, as networks,
 * proxies and hosters break. Invariant: whatever no fault names passes unchanged, and what is broken
 * never reaches the server.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * `cut`: the connection breaks. `silent`: no answer ever comes. `hold`: none until the line is mended,
 * then the right one. `wordless`: a proxy's own page, as where the server behind it is away. `empty`:
 * an error without a body. Or an answer that the server never gave.
 */
export type Fault =
  | 'cut'
  | 'silent'
  | 'hold'
  | 'wordless'
  | 'empty'
  | { readonly status: number; readonly body: string; readonly type?: string }

/** Each failure in which the server gives no words of its own; `nothing` is the body of an answer that says nothing. */
export const wordlessFaults = (nothing: string): readonly (readonly [how: string, fault: Fault])[] => [
  ['an empty answer', 'empty'],
  ['a page of the hoster', 'wordless'],
  ['an answer of nothing', { status: 200, body: nothing }],
  ['a cut connection', 'cut'],
]

export type FaultyProxy = {
  readonly url: string
  /** `line` is a method and a path without its query: 'POST /api/rounds/join'. Several at once stand side by side. */
  readonly breakLine: (line: string, fault: Fault) => void
  /** All lines are whole again; what was held goes on, what was silent ends. */
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

/** The port may be one that nobody listens on yet. */
export async function startFaultyProxy(targetPort: () => number): Promise<FaultyProxy> {
  const faults = new Map<string, Fault>()
  /** What to do with each unanswered request once the line is whole. */
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
