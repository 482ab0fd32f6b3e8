/**
 * A recording proxy between a client and the server, in a separate process, for the crash tests.
 * - Each answer of the API is on disk before the client gets it, so a recorded answer was acknowledged even if the server dies after.
 * - It can be armed to kill processes some milliseconds after a matching request has left for the server.
 * - The file contains tokens: it is in the test's own folder and is deleted with it.
 * - Run: node e2e/harness/ack-proxy.ts <listen port> <target port> <file>
 * - POST /__proxy/arm {"method", "path", "pids", "afterMs"} · GET /__proxy/armed
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import http from 'node:http'

export type Acknowledgement = {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly idempotencyKey: string | undefined
  readonly status: number
  readonly body: string
}

export type Trap = { readonly method: string; readonly path: string; readonly pids: readonly number[]; readonly afterMs: number }

const read = (stream: http.IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    stream.on('data', (part: Buffer) => parts.push(part))
    stream.on('end', () => resolve(Buffer.concat(parts)))
    stream.on('error', reject)
    stream.on('aborted', () => reject(new Error('aborted')))
  })

function runProxy(listenPort: number, targetPort: number, file: string): void {
  const acknowledgements = openSync(file, 'a')
  let trap: Trap | undefined

  const spring = (request: http.IncomingMessage): void => {
    if (trap === undefined || trap.method !== request.method || !(request.url ?? '').startsWith(trap.path)) return
    const { pids, afterMs } = trap
    trap = undefined
    setTimeout(() => {
      for (const pid of pids) {
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // The process is already gone, as wanted.
        }
      }
    }, afterMs)
  }

  const control = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    if (request.method === 'POST') trap = JSON.parse(String(await read(request))) as Trap
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ armed: trap !== undefined }))
  }

  /** Records the answer before it passes it on. */
  const answerWith = async (request: http.IncomingMessage, response: http.ServerResponse, answer: http.IncomingMessage): Promise<void> => {
    const bytes = await read(answer).catch(() => undefined)
    // A truncated answer acknowledges nothing: the client's connection is broken too.
    if (bytes === undefined) return void response.destroy()
    if (request.url?.startsWith('/api/')) {
      const key = request.headers['idempotency-key']
      const record: Acknowledgement = {
        method: request.method ?? '',
        path: request.url,
        authorization: request.headers.authorization,
        idempotencyKey: Array.isArray(key) ? key[0] : key,
        status: answer.statusCode ?? 0,
        body: String(bytes),
      }
      writeSync(acknowledgements, `${JSON.stringify(record)}\n`)
      fsyncSync(acknowledgements)
    }
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    response.end(bytes)
  }

  const pass = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    if (request.url?.startsWith('/__proxy/')) return control(request, response)
    const body = await read(request).catch(() => undefined)
    if (body === undefined) return void response.destroy()
    const { method, url: path, headers } = request
    const forward = http.request({ host: '127.0.0.1', port: targetPort, method, path, headers, agent: false })
    forward.on('error', () => response.destroy())
    forward.on('response', (answer) => void answerWith(request, response, answer))
    forward.end(body, () => spring(request))
  }

  const server = http.createServer((request, response) => void pass(request, response))
  server.listen(listenPort, '127.0.0.1', () => process.stdout.write('listening\n'))
  process.on('SIGTERM', () => {
    closeSync(acknowledgements)
    process.exit(0)
  })
}

const [listenPort, targetPort, file] = process.argv.slice(2)
if (listenPort === undefined || targetPort === undefined || file === undefined)
  throw new Error('ack-proxy: <listen port> <target port> <file>')
runProxy(Number(listenPort), Number(targetPort), file)
