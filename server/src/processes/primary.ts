/**
 * PROCESSES above 1: the first process runs workers that share the port.
 * - A worker that dies is replaced.
 * - `replaceAll` replaces them one by one: a new one serves before an old one stops, and where it cannot start, the old ones stay.
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
}
export type Workers = { readonly replaceAll: () => Promise<void>; readonly stop: () => Promise<void> }

const AGAIN_MS = 500
const living = (): Worker[] => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
const ended = (worker: Worker): Promise<void> =>
  worker.isDead() ? Promise.resolve() : new Promise((resolve) => void worker.once('exit', () => resolve()))
const serves = (worker: Worker): Promise<boolean> =>
  new Promise((resolve) => {
    worker.once('listening', () => resolve(true))
    worker.once('exit', () => resolve(false))
  })

/** Resolves when the first worker serves; the others start beside it. */
export async function serveByWorkers({ count, shared, log, say }: Fleet): Promise<Workers> {
  let stopping = false
  let isServing = false
  /** Their end is ours to handle: those on trial and those that are being replaced. */
  const expected = new Set<Worker>()
  const fork = (): Worker => cluster.fork({ ROZ_PARENT: shared })
  routeMessages(say)
  cluster.on('exit', (worker, code, signal) => {
    if (stopping || !isServing || expected.delete(worker)) return
    log.error({ worker: worker.id, code, signal }, 'a worker ended; another takes its place')
    setTimeout(() => stopping || fork(), AGAIN_MS)
  })

  /** False: the new one could not start, and the old one stays. */
  async function replace(old: Worker): Promise<boolean> {
    expected.add(old)
    const fresh = fork()
    expected.add(fresh)
    if (await serves(fresh)) {
      expected.delete(fresh)
      old.process.kill('SIGTERM')
      await ended(old)
      return true
    }
    expected.delete(old)
    if (old.isDead() && !stopping) fork()
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
      await Promise.all(all.map(ended))
    },
  }
  // The first worker makes the administrator and the demo before the others start. If it ends, it has printed the reason,
  // and another one would end the same way.
  if (!(await serves(fork()))) throw new StartError('The first process ended before it served.')
  isServing = true
  for (let more = 1; more < count; more++) fork()
  return workers
}

/** Prints what workers say, and passes their measurements on. */
function routeMessages(say: (line: string) => void): void {
  const tell = (worker: Worker, message: ToWorker): void => void (worker.isConnected() && worker.send(message))
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
