/**
 * A line between a browser and the program that a test can break on one path at a time: cut it (the
 * browser gets no answer), answer without words (a 502 as of a broken gateway), or hold the request
 * until the line is mended. Invariant: whatever no fault names passes through unchanged.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'

export type Fault = 'cut' | 'wordless' | 'hold'
export type CutProxy = {
  readonly url: string
  /** `line` is a method and a path without its query: 'POST /api/rounds/join'. Several at once stand side by side. */
  readonly breakLine: (line: string, fault: Fault) => void
  /** All lines are whole again; what was held goes on. */
  readonly mend: () => void
  readonly close: () => Promise<void>
}

function pass(request: http.IncomingMessage, response: http.ServerResponse, targetPort: number): void {
  const { method, url: path, headers } = request
  const forward = http.request({ host: '127.0.0.1', port: targetPort, method, path, headers, agent: false })
  forward.on('error', () => response.destroy())
  forward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
    answer.on('aborted', () => response.destroy())
  })
  request.pipe(forward)
}

export async function startCutProxy(targetPort: number): Promise<CutProxy> {
  const faults = new Map<string, Fault>()
  let held: (() => void)[] = []
  const server = http.createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    const fault = faults.get(`${request.method} ${path}`)
    if (fault === 'cut') request.socket.destroy()
    else if (fault === 'wordless') response.writeHead(502, { 'content-type': 'text/html', connection: 'close' }).end('<h1>Bad gateway</h1>')
    else if (fault === 'hold') held.push(() => pass(request, response, targetPort))
    else pass(request, response, targetPort)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    breakLine: (line, fault) => void faults.set(line, fault),
    mend: () => {
      faults.clear()
      const waiting = held
      held = []
      for (const goOn of waiting) goOn()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
