/**
 * A small HTTP load generator over plain sockets.
 *
 * - It shares two CPUs with the server it measures, so it does as little work per answer as possible.
 * - In the open loop latency runs from the moment a request was due, so the wait for a free connection counts.
 */
import { connect, type Socket } from 'node:net'

type Load = { readonly port: number; readonly connections: number; readonly requests: readonly Buffer[] }
export type Loaded = {
  readonly answers: number
  readonly perSecond: number
  /** Milliseconds, ascending. */
  readonly latencies: Float64Array
  readonly byStatus: Readonly<Record<number, number>>
}

const HEADERS_END = '\r\n\r\n'
/** One read buffer for all sockets: each read is processed before the next one starts. */
const READ = Buffer.allocUnsafe(64 * 1024)

const LENGTH_NAMES = ['\r\ncontent-length: ', '\r\nContent-Length: '].map((name) => Buffer.from(name))
const [ZERO, NINE] = ['0', '9'].map((digit) => digit.charCodeAt(0)) as [number, number]

/** Reads the body's length from the header bytes without decoding all headers. */
function lengthOf(answer: Buffer, headersEnd: number): number {
  for (const name of LENGTH_NAMES) {
    const found = answer.indexOf(name)
    if (found < 0 || found > headersEnd) continue
    let length = 0
    for (let at = found + name.length; ; at++) {
      const digit = answer[at] as number
      if (!(digit >= ZERO && digit <= NINE)) return length
      length = length * 10 + digit - ZERO
    }
  }
  return 0
}

/** One connection with at most one request in flight. */
class Line {
  #rest: Buffer | undefined
  #answered: (status: number) => void = () => undefined
  readonly #socket: Socket

  constructor(port: number, connected: (line: Line) => void, failed: (error: Error) => void) {
    // `onread` bypasses the stream, which costs as much as the rest of the generator.
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer: READ, callback: (bytes) => this.#read(bytes) } })
    this.#socket.once('connect', () => connected(this))
    this.#socket.on('error', failed)
    this.#socket.on('close', () => failed(new Error('the server closed a connection')))
  }

  ask(request: Buffer, answered: (status: number) => void): void {
    this.#answered = answered
    this.#socket.write(request)
  }

  close(): void {
    this.#socket.removeAllListeners('close')
    this.#socket.destroy()
  }

  #read(bytes: number): boolean {
    const chunk = READ.subarray(0, bytes)
    const answer = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    const headers = answer.indexOf(HEADERS_END)
    if (headers < 0 || answer.length < headers + HEADERS_END.length + lengthOf(answer, headers)) {
      this.#rest = Buffer.from(answer)
      return true
    }
    this.#rest = undefined
    this.#answered(Number(answer.toString('latin1', 9, 12)))
    return true
  }
}

async function openLines({ port, connections }: Load, failed: (error: Error) => void): Promise<Line[]> {
  const open = (): Promise<Line> => new Promise((resolve, reject) => new Line(port, resolve, (error) => (reject(error), failed(error))))
  return Promise.all(Array.from({ length: connections }, open))
}

class Tally {
  readonly latencies: number[] = []
  readonly byStatus: Record<number, number> = {}
  add(status: number, ms: number): void {
    this.latencies.push(ms)
    this.byStatus[status] = (this.byStatus[status] ?? 0) + 1
  }
  finish(seconds: number): Loaded {
    const { latencies, byStatus } = this
    return { answers: latencies.length, perSecond: latencies.length / seconds, latencies: Float64Array.from(latencies).sort(), byStatus }
  }
}

/** Closed loop: each connection sends the next request when the last was answered, until requests or time run out. */
export async function closedLoop(load: Load, secondsMax: number): Promise<Loaded> {
  const tally = new Tally()
  let next = 0
  let failure: Error | undefined
  const lines = await openLines(load, (error) => {
    failure = error
  })
  const began = performance.now()
  const until = began + secondsMax * 1000
  await Promise.all(
    lines.map(
      (line) =>
        new Promise<void>((resolve, reject) => {
          const step = (): void => {
            const at = performance.now()
            const request = load.requests[next++]
            if (failure !== undefined) reject(failure)
            else if (request === undefined || at >= until) resolve()
            else
              line.ask(request, (status) => {
                tally.add(status, performance.now() - at)
                step()
              })
          }
          step()
        }),
    ),
  )
  const seconds = (performance.now() - began) / 1000
  for (const line of lines) line.close()
  return tally.finish(seconds)
}

/** Open loop: requests fall due at a fixed rate, whether or not earlier ones were answered. */
export async function openLoop(load: Load, rate: number, seconds: number): Promise<Loaded> {
  const tally = new Tally()
  const total = Math.min(load.requests.length, Math.floor(rate * seconds))
  let failure: Error | undefined
  const idle = await openLines(load, (error) => {
    failure = error
  })
  const lines = [...idle]
  const began = performance.now()
  const dueAt = (index: number): number => began + (index * 1000) / rate
  let next = 0
  await new Promise<void>((resolve, reject) => {
    const send = (line: Line): void => {
      const index = next++
      line.ask(load.requests[index] as Buffer, (status) => {
        tally.add(status, performance.now() - dueAt(index))
        if (tally.latencies.length === total) resolve()
        else if (next < total && dueAt(next) <= performance.now()) send(line)
        else idle.push(line)
      })
    }
    const tick = (): void => {
      if (failure !== undefined) return reject(failure)
      while (next < total && dueAt(next) <= performance.now()) {
        const line = idle.pop()
        if (line === undefined) break
        send(line)
      }
      // Sleeps as pgbench does: a busy loop would occupy one of the measured CPUs.
      if (next < total) setTimeout(tick, 1)
    }
    tick()
  })
  const elapsed = (performance.now() - began) / 1000
  for (const line of lines) line.close()
  return tally.finish(elapsed)
}

/** The percentile of sorted values; `part` is between 0 and 1. */
export const percentile = (ascending: Float64Array, part: number): number =>
  ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * part))] ?? Number.NaN
