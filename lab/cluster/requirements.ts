/** Checks whether this machine can run a cluster. Each missing requirement is a sentence for the user. */
import { existsSync } from 'node:fs'
import path from 'node:path'

export type Surroundings = {
  readonly platform: string
  readonly isRoot: boolean
  /** Programs on the PATH. */
  readonly hasProgram: (name: string) => boolean
  readonly canMakeMachines: () => Promise<boolean>
}
/** The packages of Debian that have them. */
const PROGRAMS = {
  'apt-get': 'apt',
  'dpkg-deb': 'dpkg',
  ip: 'iproute2',
  nsenter: 'util-linux',
  unshare: 'util-linux',
  setpriv: 'util-linux',
} as const

/** The missing requirements; empty if a cluster can run here. */
export async function missingFor(around: Surroundings): Promise<string[]> {
  if (around.platform !== 'linux') return ['A cluster needs Linux: its nodes are namespaces.']
  if (!around.isRoot)
    return [
      'A cluster needs root, to give each node a network and a root folder of its own: sudo npm run lab -- cluster. Its programs run as another user.',
    ]
  const missing = Object.entries(PROGRAMS).filter(([name]) => !around.hasProgram(name))
  if (missing.length > 0) return missing.map(([name, from]) => `A cluster needs ${name}, of Debian’s package ${from}.`)
  if (!(await around.canMakeMachines()))
    return ['This machine allows no namespaces (in a container, root alone is not enough): use a virtual machine.']
  return []
}

export function isOnPath(name: string): boolean {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/sbin']
  return folders.some((folder) => existsSync(path.join(folder, name)))
}
