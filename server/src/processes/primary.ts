/**
 * PROCESSES above 1: the first process runs workers that share the port.
 * - A worker that dies is replaced.
 * - `replaceAll` replaces them one by one: a new one serves before an old one stops, and where it cannot start, the old ones stay.
 * - A worker that hangs is killed: an old one that does not stop, and a new one that does not serve.
 */
import cluster, { type Worker } from 'node:cluster'
import type { FastifyBaseLogger } from 'fastify'
import { StartError } from '../start-error.ts'
import { createGathering } from './gathering.ts'
import type { FromWorker, ToWorker } from './worker.ts'

export type Fleet = {
  readonly count: number
  /** Given to each worker in its environment. */
  readonly shared: string
  readonly log: FastifyBaseLogger
  readonly say: (line: string) => void
  readonly limits?: Limits
}
/** How long a worker may take: to serve when it replaces another, to stop when it is replaced, and to stop with all. */
export type Limits = { readonly serveMs: number; readonly stopMs: number; readonly wholeStopMs: number }
export type Workers = { readonly replaceAll: () => Promise<void>; readonly stop: () => Promise<void> }

/** A process that hangs while it stops ends itself after this time. */
export const SHUTDOWN_MS = 8000
/** A whole stop leaves time for the local database. */
const LIMITS: Limits = { serveMs: 60_000, stopMs: SHUTDOWN_MS + 4000, wholeStopMs: SHUTDOWN_MS - 1500 }
const AGAIN_MS = 500
const living = (): Worker[] =>
  Object.values(cluster.workers ?? {})
    .filter((worker) => worker !== undefined)
    .filter((worker) => !worker.isDead())
const ended = (worker: Worker): Promise<void> =>
  worker.isDead() ? Promise.resolve() : new Promise((resolve) => void worker.once('exit', () => resolve()))
const serves = (worker: Worker): Promise<boolean> =>
  new Promise((resolve) => {
    worker.once('listening', () => resolve(true))
    worker.once('exit', () => resolve(false))
  })

/** Resolves when the first worker serves; the others start beside it. */
export async function serveByWorkers({ count, shared, log, say, limits = LIMITS }: Fleet): Promise<Workers> {
  let stopping = false
  let isServing = false
  /** Their end is ours to handle: those on trial and those that are being replaced. */
  const expected = new Set<Worker>()
  const fork = (): Worker | undefined => forkOne(shared, log)
  const keepOneMore = (): void => {
    if (!stopping && fork() === undefined) setTimeout(keepOneMore, AGAIN_MS)
  }
  routeMessages(say)
  cluster.on('exit', (worker, code, signal) => {
    if (stopping || !isServing || expected.delete(worker)) return
    log.error({ worker: worker.id, code, signal }, 'a worker ended; another takes its place')
    setTimeout(keepOneMore, AGAIN_MS)
  })
  const killAfter = (ms: number, worker: Worker, reason: string): NodeJS.Timeout =>
    setTimeout(() => {
      log.error({ worker: worker.id }, reason)
      worker.process.kill('SIGKILL')
    }, ms)

  /** False: the new one could not start, and the old one stays. */
  async function replace(old: Worker): Promise<boolean> {
    const fresh = fork()
    if (fresh === undefined) return false
    expected.add(old).add(fresh)
    const trial = killAfter(limits.serveMs, fresh, 'a new worker did not serve in time, and is killed')
    const isGood = await serves(fresh)
    clearTimeout(trial)
    if (isGood) {
      expected.delete(fresh)
      old.process.kill('SIGTERM')
      const patience = killAfter(limits.stopMs, old, 'a worker did not stop in time, and is killed')
      await ended(old)
      clearTimeout(patience)
      return true
    }
    expected.delete(old)
    if (old.isDead()) keepOneMore()
    return false
  }

  async function replaceEach(): Promise<void> {
    const before = living()
    for (const old of before) {
      if (stopping || old.isDead()) continue
      if (!(await replace(old))) return say('A new process could not start. The processes of before keep serving.')
    }
    say(`Replaced ${before.length} processes.`)
  }

  let replacing: Promise<void> | undefined
  const workers: Workers = {
    replaceAll: () => {
      replacing ??= replaceEach().finally(() => {
        replacing = undefined
      })
      return replacing
    },
    stop: async () => {
      stopping = true
      const all = living()
      for (const worker of all) worker.process.kill('SIGTERM')
      const patience = all.map((worker) => killAfter(limits.wholeStopMs, worker, 'a worker did not stop in time, and is killed'))
      await Promise.all(all.map(ended))
      for (const timer of patience) clearTimeout(timer)
    },
  }
  // The first worker makes the administrator and the demo before the others start. If it ends, it has printed the reason,
  // and another one would end the same way.
  const first = fork()
  if (first === undefined || !(await serves(first))) throw new StartError('The first process ended before it served.')
  isServing = true
  for (let more = 1; more < count; more++) keepOneMore()
  return workers
}

/** Undefined: the machine refused another process. */
function forkOne(shared: string, log: FastifyBaseLogger): Worker | undefined {
  try {
    const worker = cluster.fork({ ROZ_PARENT: shared })
    worker.on('error', (error) => log.error({ err: error, worker: worker.id }, 'a worker failed'))
    if (worker.process.pid !== undefined) return worker
  } catch (error) {
    log.error({ err: error }, 'a worker could not be started')
  }
  return undefined
}

/** Prints what workers say, and passes their measurements on. */
function routeMessages(say: (line: string) => void): void {
  // A worker that is dying gets no message. Without the callback, that would be an error of this process.
  const tell = (worker: Worker, message: ToWorker): void => void (worker.isConnected() && worker.send(message, () => undefined))
  const gathering = createGathering(() =>
    living()
      .filter((worker) => worker.isConnected())
      .map((worker) => ({ id: worker.id, ask: (id: number) => tell(worker, { kind: 'measure', id }) })),
  )
  cluster.on('message', (worker, message: FromWorker) => {
    if (message.kind === 'say') say(message.line)
    else if (message.kind === 'measured') gathering.tell(worker.id, message.own, message.id)
    else void gathering.gather(worker.id, message.own).then((all) => tell(worker, { kind: 'gathered', id: message.id, all }))
  })
  cluster.on('exit', (worker) => gathering.end(worker.id))
}
