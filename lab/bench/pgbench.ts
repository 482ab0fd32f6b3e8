/** Runs `pgbench -N` on the measured server: its throughput is the yardstick P; its latencies are taken at a fixed rate. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { connect, sql } from '@roz/server/db/sql.ts'
import type { SetUp } from './set-up.ts'

const run = promisify(execFile)
const SCALE = 10
const CLIENTS = 32

/** Looks in PATH, then in Debian's folders. An older pgbench works against a newer server. */
function findPgbench(): string {
  const folders = [...(process.env.PATH ?? '').split(':'), ...debianFolders()]
  const found = folders.map((folder) => path.join(folder, 'pgbench')).find((file) => existsSync(file))
  if (found === undefined) throw new Error('pgbench is missing: install the client programs of PostgreSQL (Debian: apt install postgresql)')
  return found
}
const DEBIAN = '/usr/lib/postgresql'
const debianFolders = (): string[] => (existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => path.join(DEBIAN, version, 'bin')) : [])

export async function preparePgbench(setUp: SetUp) {
  const program = findPgbench()
  const root = connect({ url: setUp.urlOf('postgres'), max: 1 })
  await root.query(sql`create database pgbench`)
  await root.close()
  const url = setUp.urlOf('pgbench')
  await run(program, ['-i', '-q', '-s', String(SCALE), url])
  const simple = ['-N', '-M', 'prepared', '-c', String(CLIENTS), '-j', '2', '-n']
  const version = (await run(program, ['--version'])).stdout.trim()
  return {
    version,
    /** Maximum transactions per second. */
    perSecond: async (seconds: number): Promise<number> => {
      const { stdout } = await run(program, [...simple, '-T', String(seconds), url])
      const tps = Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
      if (!(tps > 0)) throw new Error(`pgbench measured nothing:\n${stdout}`)
      return tps
    },
    /** Latencies in ms, ascending, each from the moment its transaction was due. */
    atRate: async (rate: number, seconds: number): Promise<Float64Array> => {
      const folder = await mkdtemp(path.join(setUp.folder, 'pgbench-'))
      await run(program, [...simple, '-T', String(seconds), '-R', String(Math.round(rate)), '-l', url], { cwd: folder })
      // Columns: client, transaction, latency in µs (including the wait until it starts), …
      const latencies = readdirSync(folder).flatMap((file) =>
        readFileSync(path.join(folder, file), 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => Number(line.split(' ')[2]) / 1000),
      )
      return Float64Array.from(latencies).sort()
    },
  }
}
