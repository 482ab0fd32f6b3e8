/**
 * Builds the pages into .build/web/<hash>, one folder per state of their sources.
 * - A folder with that name is complete and never changes, so a start never rebuilds pages that another start serves.
 * - An old folder is deleted only if no running start is registered as its user.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { alone } from './lock.mjs'
import { isStopping, LaunchError, lives, nameOf, note, refuseForeign, ROOT, run } from './processes.mjs'

export const BUILDS = path.join(ROOT, '.build', 'web')
const MAKING = path.join(ROOT, '.build', 'web-making')
const USERS = path.join(ROOT, '.build', 'web-users')
const SOURCES = ['web', 'locales', 'core', 'contract', 'verifier', 'spec', 'package-lock.json', 'tsconfig.base.json']
const NOT_SOURCES = new Set(['node_modules', 'dist', '.build', 'test-results'])
/** A build may be in use without a registration, for example by a test started by hand: it is kept for an hour. */
const SPARE_MS = 3_600_000

/** Returns the folder to serve. */
export async function buildWeb(node) {
  const hash = hashOfSources()
  const folder = path.join(BUILDS, hash)
  if (!existsSync(folder) || oldBuilds(hash).length > 0) {
    const waiting = () => note('Another npm start is building the pages. Waiting for it…')
    await alone('web', waiting, async () => {
      if (!existsSync(folder)) await build(node, folder)
      prune(hash)
    })
  }
  if (!isStopping()) writeDown(hash)
  return folder
}

async function build(node, folder) {
  refuseForeign()
  note('Building the pages…')
  rmSync(MAKING, { recursive: true, force: true })
  mkdirSync(BUILDS, { recursive: true })
  // The temporary files of the build's tools stay in the checkout too.
  // Tests build too, with NODE_ENV=test: React would come with its warnings for developers.
  const env = { ...process.env, NODE_ENV: 'production', TMPDIR: path.join(ROOT, '.build', 'tmp') }
  mkdirSync(env.TMPDIR, { recursive: true })
  const { code, output } = await run(node, ['web/build.ts', '--out', MAKING], { quiet: true, env })
  if (isStopping()) return
  if (code !== 0) throw new LaunchError(`The pages could not be built:\n${output.trim()}`)
  renameSync(MAKING, folder)
}

function oldBuilds(hash) {
  if (!existsSync(BUILDS)) return []
  return readdirSync(BUILDS).filter((name) => name !== hash && Date.now() - statSync(path.join(BUILDS, name)).mtimeMs > SPARE_MS)
}

function prune(hash) {
  for (const name of oldBuilds(hash)) {
    const users = path.join(USERS, name)
    if (existsSync(users) && readdirSync(users).some(lives)) continue
    rmSync(path.join(BUILDS, name), { recursive: true, force: true })
    rmSync(users, { recursive: true, force: true })
  }
}

function writeDown(hash) {
  const users = path.join(USERS, hash)
  try {
    mkdirSync(users, { recursive: true })
    for (const name of readdirSync(users)) if (!lives(name)) rmSync(path.join(users, name))
    writeFileSync(path.join(users, nameOf(process.pid)), '')
  } catch (error) {
    // The checkout belongs to another user and is read-only for us: only its owner builds in it.
    if (error.code !== 'EACCES' && error.code !== 'EROFS') throw error
  }
}

export function hashOfSources() {
  const hash = createHash('sha256')
  for (const source of SOURCES) add(hash, path.join(ROOT, source), source)
  return hash.digest('hex').slice(0, 20)
}

function add(hash, file, name) {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return
  if (!stats.isDirectory()) {
    if (!/\.test\.tsx?$/.test(name)) hash.update(`${name}\0${stats.size}\0`).update(readFileSync(file))
    return
  }
  for (const entry of readdirSync(file).sort()) if (!NOT_SOURCES.has(entry)) add(hash, path.join(file, entry), `${name}/${entry}`)
}
