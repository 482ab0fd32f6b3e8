/** A cluster beside other clusters, and on a machine with routes of its own. */
import { readlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { freeSubnets, livingClusters } from './running-clusters.ts'
import { begunAt, processesOf } from './machines.ts'

test('a network to which a route of the machine leads is left out, also below and above its own size', () => {
  const routes = [
    { dst: 'default', dev: 'eth0' },
    { dst: '192.0.2.0/24', dev: 'eth0' },
    { dst: '10.77.0.0/24', dev: 'roz0' },
    { dst: '10.77.2.9', dev: 'tun0' },
    { dst: '10.77.4.0/22', dev: 'tun0' },
  ]
  expect(freeSubnets(routes).slice(0, 4)).toEqual([1, 3, 8, 9])
  expect(freeSubnets(routes)).toHaveLength(244)
})

test('on a machine whose routes lead to every network the error names the route', () => {
  expect(() => freeSubnets([{ dst: '10.0.0.0/8', dev: 'tun0' }])).toThrow(
    /own routes lead to all of them \(10\.0\.0\.0\/8 by tun0\): take that route away/,
  )
})

test('only folders whose process lives are running clusters', () => {
  const names = ['roz-cluster-7-a1', 'roz-cluster-8-b2', 'roz-faults-7', 'other']
  expect(livingClusters(names, (pid) => pid !== 8)).toEqual(['roz-cluster-8-b2'])
})

test('a namespace whose first process has ended has no processes, also if another one got its number', () => {
  const space = readlinkSync('/proc/self/ns/pid')
  const first = { pid: process.ppid, begun: begunAt(process.ppid) }
  expect(processesOf(space, first)).toContain(process.pid)
  expect(processesOf(space, { ...first, begun: '1' })).toEqual([])
  expect(processesOf('pid:[1]', first)).toEqual([])
})
