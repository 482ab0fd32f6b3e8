/**
 * A small HTTP load generator over plain sockets: it shares two processors with what it measures, so it
 * does as little as it can for an answer. Invariant: in the open loop a request's time runs from the
 * moment it was due, not from the moment a connection was free for it: waiting is part of it.
 */
import { connect, type Socket } from 'node:net'

export type Load = { readonly port: number; readonly connections: number; readonly requests: readonly Buffer[] }
export type Loaded = {
  readonly answers: number
  readonly perSecond: number
  /** Milliseconds, ascending. */
  readonly latencies: Float64Array
  readonly byStatus: Readonly<Record<number, number>>
}

const HEADERS_END = '\r\n\r\n'
/** Where all sockets put what they read: it is looked at before the next one reads. */
const READ = Buffer.allocUnsafe(64 * 1024)

const LENGTH_NAMES = ['\r\ncontent-length: ', '\r\nContent-Length: '].map((name) => Buffer.from(name))
const [ZERO, NINE] = ['0', '9'].map((digit) => digit.charCodeAt(0)) as [number, number]

/** What the headers say of the body's length, without a text of them all. */
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

/** One connection with at most one request on its way. */
class Line {
  #rest: Buffer | undefined
  #answered: (status: number) => void = () => undefined
  readonly #socket: Socket

  constructor(port: number, connected: (line: Line) => void, failed: (error: Error) => void) {
    // Without a stream between the socket and us, which costs as much as all the rest.
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

/** Every connection asks again as soon as it was answered, until the requests or the time are over. */
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

/** Requests fall due at a fixed rate, whatever becomes of those before them. */
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
      // It sleeps as pgbench does: one that looks all the time would hold one of the processors that it measures.
      if (next < total) setTimeout(tick, 1)
    }
    tick()
  })
  const elapsed = (performance.now() - began) / 1000
  for (const line of lines) line.close()
  return tally.finish(elapsed)
}

/** The value below which this part of all lies. */
export const percentile = (ascending: Float64Array, part: number): number =>
  ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * part))] ?? Number.NaN
