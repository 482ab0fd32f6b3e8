/**
 * A program of two processes under `serveByWorkers`, for its tests: `fleet.ts <file> <serveMs> <stopMs>`.
 * - A worker does at its start what the file says: `serve`, `serve and never stop`, or `never serve`.
 * - The test sends commands; each answer is the list of the workers' process ids.
 */
import cluster, { type Worker } from 'node:cluster'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { pino } from 'pino'
import { serveByWorkers, type Workers } from '../processes/primary.ts'
import { sayToFirst } from '../processes/worker.ts'

export type Command = 'replace' | 'stop' | 'list' | 'speak to a dead one' | 'refuse processes' | 'allow processes'
export type Pids = readonly (number | undefined)[]

const living = (): Worker[] =>
  Object.values(cluster.workers ?? {})
    .filter((worker) => worker !== undefined)
    .filter((worker) => !worker.isDead())

async function lead([file = '', serveMs, stopMs]: readonly string[]): Promise<void> {
  const workers = await serveByWorkers({
    count: 2,
    shared: file,
    log: pino(),
    say: (line) => void process.stdout.write(`${line}\n`),
    limits: { serveMs: Number(serveMs), stopMs: Number(stopMs), wholeStopMs: Number(stopMs) },
  })
  process.on('message', (command: Command) => {
    obey(command, workers)
    process.send?.(living().map((worker) => worker.process.pid))
  })
  process.stdout.write('ready\n')
}

function obey(command: Command, workers: Workers): void {
  if (command === 'replace') void workers.replaceAll()
  if (command === 'stop') void workers.stop()
  if (command === 'speak to a dead one') speakToDead()
  if (command === 'refuse processes') cluster.setupPrimary({ cwd: '/no/such/folder' })
  if (command === 'allow processes') cluster.setupPrimary({ cwd: process.cwd() })
}

/** Asks for measurements before the end of the killed worker is known here. */
function speakToDead(): void {
  const [dead, asking] = living()
  dead?.process.kill('SIGKILL')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  cluster.emit('message', asking, { kind: 'gather', id: 1, own: [] })
}

function work(conduct: string): void {
  if (conduct === 'serve and never stop') process.on('SIGTERM', () => undefined)
  if (conduct === 'never serve') setInterval(() => undefined, 60_000)
  else createServer().listen(0, '127.0.0.1', () => sayToFirst('a worker serves'))
}

if (cluster.isPrimary) await lead(process.argv.slice(2))
else work(readFileSync(process.env.ROZ_PARENT ?? '', 'utf8'))
