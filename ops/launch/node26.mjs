/** Finds the Node that runs Roz: the one that npm installed for this machine, else the system's if it can run TypeScript directly. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { LaunchError, ROOT } from './processes.mjs'

const OLDEST = [22, 18]

/** The places below node_modules where npm puts the pinned Node. Its package for Macs with ARM has another name than the others. */
export function placesOfNode(platform, arch) {
  const name = `${platform === 'win32' ? 'win' : platform}-${arch}`
  const program = platform === 'win32' ? 'bin/node.exe' : 'bin/node'
  return [`node-${name}/${program}`, `node-bin-${name}/${program}`]
}

export function findNode() {
  const pinned = placesOfNode(process.platform, process.arch).map((place) => path.join(ROOT, 'node_modules', place))
  // It may exist and still not run: it is built for glibc, and the system may use musl.
  const found = pinned.find((file) => spawnSync(file, ['--version'], { stdio: 'ignore' }).status === 0)
  if (found !== undefined) return found
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return process.execPath
  throw new LaunchError(
    `npm has no Node.js package for this machine (${process.platform}, ${process.arch}), and the installed Node.js ${process.versions.node} is too old. Install Node.js ${OLDEST.join('.')} or newer.`,
  )
}
