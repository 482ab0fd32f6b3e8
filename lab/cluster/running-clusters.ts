/** Finds other clusters on this machine, and routes that a cluster's network must not replace. */

/** The prefix of a cluster's folder name; the process id follows. */
export const FOLDER = 'roz-cluster-'
export const SUBNETS = 250
const BITS = 24

/** The folders of running clusters among the names in the temporary folder. */
export const livingClusters = (names: readonly string[], isOver: (pid: number) => boolean): string[] =>
  names.filter((name) => name.startsWith(FOLDER) && !isOver(pidOf(name)))

const pidOf = (name: string): number => Number(name.slice(FOLDER.length).split('-')[0])

/** As `ip -j route` prints it. */
export type Route = { readonly dst: string; readonly dev?: string }

/** The numbers x of the networks 10.77.x.0/24 to which no route of this machine leads. Throws if there is none. */
export function freeSubnets(routes: readonly Route[]): number[] {
  const own = routes.filter(({ dst }) => /^\d+(\.\d+){3}(\/\d+)?$/.test(dst) && !dst.endsWith('/0'))
  const taker = (subnet: number): Route | undefined => own.find(({ dst }) => doOverlap(dst, `10.77.${subnet}.0/${BITS}`))
  const all = Array.from({ length: SUBNETS }, (_, subnet) => subnet)
  const free = all.filter((subnet) => taker(subnet) === undefined)
  if (free.length > 0) return free
  const { dst = '', dev = 'another way' } = taker(0) ?? {}
  throw new RangeError(
    `A cluster needs one of the networks from 10.77.0.0/24 to 10.77.${SUBNETS - 1}.0/24, and this machine’s own routes lead to all of them (${dst} by ${dev}): take that route away while the cluster runs.`,
  )
}

function doOverlap(one: string, other: string): boolean {
  const [[a, aBits], [b, bBits]] = [read(one), read(other)]
  const beyond = 32 - Math.min(aBits, bBits)
  return a >> BigInt(beyond) === b >> BigInt(beyond)
}

function read(network: string): readonly [bigint, number] {
  const [address = '', bits = '32'] = network.split('/')
  return [address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n), Number(bits)]
}
