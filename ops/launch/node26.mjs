/** Finds the Node that runs Roz: the one that npm installed for this machine, else the system's if it can run TypeScript directly. */
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
  // It may exist and still not run: it is built for glibc, and the system may use musl.
  if (existsSync(pinned) && spawnSync(pinned, ['--version'], { stdio: 'ignore' }).status === 0) return pinned
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return process.execPath
  throw new LaunchError(
    `npm has no Node.js package for this machine (${process.platform}, ${process.arch}), and the installed Node.js ${process.versions.node} is too old. Install Node.js ${OLDEST.join('.')} or newer.`,
  )
}
