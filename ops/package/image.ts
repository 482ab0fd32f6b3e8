/**
 * Assembles an OCI image without a daemon: a root folder, one layer of it, and the layout with its digests.
 * - The root has the bundle below /app and the shared libraries that Node and its addons load. It has no shell and no other program.
 * - It runs as user 65532, and needs no writable folder but /data, where uploads are.
 * - The same inputs give the same bytes: times are zero, names are sorted, owners are numbers.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { SERVER_FLAGS, SERVER_MEMORY } from '../launch/server-program.mjs'

export const USER = 65_532
const PATH_OF_NODE = '/app/node'

function run(command: string, args: readonly string[]): Buffer {
  const { status, stdout, stderr, error } = spawnSync(command, args, { maxBuffer: 2 ** 30 })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr.toString()}`)
  return stdout
}

/** The shared libraries of the system that the programs load, as the loader finds them here. */
function librariesOf(files: readonly string[]): string[] {
  const lines = files.flatMap((file) => run('ldd', [file]).toString().split('\n'))
  const found = lines.flatMap((line) => /(?:=> )?(\/\S+) \(0x/.exec(line)?.[1] ?? [])
  return [...new Set(found)].filter((file) => /^\/(usr\/)?lib/.test(file)).sort()
}

const addonsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.node$|\.so(\.\d+)*$/.test(name))
    .map((name) => path.join(folder, name))

/** Makes a root folder around the bundle in `app`. */
export function makeRoot(root: string, app: string): void {
  cpSync(app, path.join(root, 'app'), { recursive: true, verbatimSymlinks: true })
  for (const library of librariesOf([path.join(app, 'node'), ...addonsIn(path.join(app, 'node_modules'))])) {
    mkdirSync(path.join(root, path.dirname(library)), { recursive: true })
    // Follows links: the name that the loader looks for is a file here.
    copyFileSync(library, path.join(root, library))
    chmodSync(path.join(root, library), 0o755)
  }
  for (const [folder, mode] of [
    ['etc', 0o755],
    ['proc', 0o555],
    ['tmp', 0o1777],
    ['data', 0o700],
  ] as const) {
    mkdirSync(path.join(root, folder), { recursive: true })
    chmodSync(path.join(root, folder), mode)
  }
  writeFileSync(path.join(root, 'etc/passwd'), `roz:x:${USER}:${USER}:Roz:/data:/nonexistent\n`)
  writeFileSync(path.join(root, 'etc/group'), `roz:x:${USER}:\n`)
}

/** How a container runs: the command and its settings. Everything else comes from the operator (README.md, Settings). */
export const CONFIG = {
  User: `${USER}:${USER}`,
  WorkingDir: '/app',
  Entrypoint: [PATH_OF_NODE, ...SERVER_FLAGS.filter((flag) => !flag.startsWith('--v8-pool-size')), 'server/src/main.ts'],
  Env: [
    'NODE_ENV=production',
    'HOST=0.0.0.0',
    'PORT=8080',
    'DATA_DIR=/data',
    'WEB_DIR=/app/web',
    ...Object.entries(SERVER_MEMORY).map(([name, value]) => `${name}=${value}`),
  ],
  ExposedPorts: { '8080/tcp': {} },
  Volumes: { '/data': {} },
  StopSignal: 'SIGTERM',
} as const

type Descriptor = { readonly mediaType: string; readonly digest: string; readonly size: number }

/** Writes the image into `layout`, as a folder in OCI's image layout; returns the digest of its manifest. */
export function writeImage(layout: string, root: string, version: string): string {
  const blobs = path.join(layout, 'blobs/sha256')
  mkdirSync(blobs, { recursive: true })
  const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
  const store = (mediaType: string, bytes: Buffer): Descriptor => {
    const hash = hashOf(bytes)
    writeFileSync(path.join(blobs, hash), bytes)
    return { mediaType, digest: `sha256:${hash}`, size: bytes.length }
  }
  const common = [
    '--sort=name',
    '--mtime=@0',
    '--numeric-owner',
    '--format=posix',
    '--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime',
  ]
  const archive = path.join(layout, 'layer.tar')
  run('tar', [...common, '--owner=0', '--group=0', '--exclude=./data', '-C', root, '-cf', archive, '.'])
  run('tar', [...common, `--owner=${USER}`, `--group=${USER}`, '-C', root, '-rf', archive, './data'])
  const tar = readFileSync(archive)
  run('rm', [archive])
  const layer = store('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(tar))
  const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
  const config = store(
    'application/vnd.oci.image.config.v1+json',
    json({
      created: '1970-01-01T00:00:00Z',
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      config: { ...CONFIG, Labels: { 'org.opencontainers.image.version': version, 'org.opencontainers.image.licenses': 'AGPL-3.0-only' } },
      rootfs: { type: 'layers', diff_ids: [`sha256:${hashOf(tar)}`] },
      history: [{ created: '1970-01-01T00:00:00Z', created_by: 'npm run package' }],
    }),
  )
  const manifest = store(
    'application/vnd.oci.image.manifest.v1+json',
    json({ schemaVersion: 2, mediaType: 'application/vnd.oci.image.manifest.v1+json', config, layers: [layer] }),
  )
  const named = { ...manifest, annotations: { 'org.opencontainers.image.ref.name': version } }
  writeFileSync(path.join(layout, 'index.json'), json({ schemaVersion: 2, manifests: [named] }))
  writeFileSync(path.join(layout, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }))
  return manifest.digest
}
