/**
 * The Node that runs Roz: the one npm brought for this machine, else the system's if it is new
 * enough to run TypeScript directly.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { LaunchError, ROOT } from './processes.mjs'

const OLDEST = [22, 18]

export function findNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const pinned = path.join(
    ROOT,
    'node_modules',
    `node-${platform}-${process.arch}`,
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  )
  // It may be there and not run: built for glibc, on a system with musl.
  if (existsSync(pinned) && spawnSync(pinned, ['--version'], { stdio: 'ignore' }).status === 0) return pinned
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return process.execPath
  throw new LaunchError(
    `For this machine (${process.platform}, ${process.arch}) npm brings no Node, and the installed one is ${process.versions.node}: install Node.js ${OLDEST.join('.')} or newer.`,
  )
}
