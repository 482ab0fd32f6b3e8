/** The matrix of roles and calls: docs/roles.txt and the contract agree, and every cell is kept over HTTP. */
import { readFile } from 'node:fs/promises'
import { api } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import { STAFF_ROLES, type StaffRole } from '@roz/contract/roles.ts'
import { beforeAll, expect, test } from 'vitest'
import { makeMember, makeStaff } from '../testing/calls.ts'
import { useServicesWorld } from '../testing/services-world.ts'

const services = useServicesWorld()
const actors = new Map<'member' | StaffRole, bigint>()
beforeAll(async () => {
  const { db } = services.database
  actors.set('member', await makeMember(db))
  for (const role of STAFF_ROLES) actors.set(role, await makeStaff(db, role))
})

const adminCalls = Object.values<EndpointSpec>(api).filter(({ access }) => access === 'admin')

const matrixFile = new URL('../../../docs/roles.txt', import.meta.url)
async function readMatrix(): Promise<Map<string, readonly string[]>> {
  const rows = (await readFile(matrixFile, 'utf8')).split('\n').filter((line) => /^(GET|POST|PUT|DELETE) /.test(line))
  return new Map(
    rows.map((row) => {
      const [method = '', path = '', ...cells] = row.split(/\s+/)
      return [`${method} ${path}`, STAFF_ROLES.filter((_, column) => cells[column] === 'yes')]
    }),
  )
}

test('docs/roles.txt says of every administrator’s call which roles the contract allows', async () => {
  const declared = new Map(
    adminCalls.map(({ method, path, roles }) => [`${method} ${path}`, STAFF_ROLES.filter((role) => roles?.includes(role))]),
  )
  expect(Object.fromEntries(await readMatrix())).toEqual(Object.fromEntries(declared))
})

test('of the calls that only read, lists about persons and tables with their names need a step-up, and no other', async () => {
  const reads = adminCalls.filter(({ method, stepUp }) => method === 'GET' && stepUp === true).map(({ path }) => path)
  expect(reads.toSorted()).toEqual(
    [
      ...['users', 'messages', 'beneficiaries', 'tax'].flatMap((list) => [`/admin/${list}`, `/admin/${list}.csv`]),
      ...['help-cases', 'withdrawals', 'refunds', 'suspense', 'disputes', 'autopay', 'flags'].map((table) => `/admin/${table}.csv`),
      '/admin/help-cases/{number}',
      '/admin/bank-lines/{id}',
    ].toSorted(),
  )
  for (const path of reads) {
    for (const [actor, as] of actors) {
      const mayRead = adminCalls.some((call) => call.path === path && call.method === 'GET' && call.roles?.some((role) => role === actor))
      const { status, body } = await services.calls.ask(`GET ${path}`, { as, isStale: true })
      expect([path, actor, status, body.code]).toEqual([path, actor, 403, mayRead ? 'step_up_required' : 'forbidden'])
    }
  }
})

test.each(adminCalls)('$method $path is open to its roles and to nobody else', async ({ method, path, roles, body }) => {
  const call = `${method} ${path.replace(/\{\w+\}/g, 'unknown')}`
  const ask = async (as?: bigint) => {
    const { status, body: answer } = await services.calls.ask(call, {
      ...(as === undefined ? {} : { as }),
      ...(body === undefined ? {} : { body: {} }),
    })
    return { status, code: answer?.code }
  }
  expect(await ask()).toEqual({ status: 401, code: 'unauthenticated' })
  for (const [actor, id] of actors) {
    const answer = await ask(id)
    if (roles?.some((role) => role === actor)) expect([401, 403, 500], `${actor}: ${answer.code}`).not.toContain(answer.status)
    else expect(answer, actor).toEqual({ status: 403, code: 'forbidden' })
  }
})
