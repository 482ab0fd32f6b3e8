/** Tests that the response schema of every call compiles to a serializer. */
import { api } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import { expect, test } from 'vitest'
import { startTestApp } from '../testing/http.ts'
import { writerOf } from './route.ts'

test('the response schema of every call compiles', async () => {
  const compiled: string[] = []
  const specs = Object.entries<EndpointSpec>(api)
  const app = await startTestApp({
    handlers: {},
    sessions: { find: async () => undefined },
    mount: (server) => {
      server.get('/compiled', async (_request, reply) => {
        for (const [name, spec] of specs) {
          if (typeof spec.output !== 'string') writerOf(spec, spec.output, reply)
          compiled.push(name)
        }
        return {}
      })
    },
  })
  await app.ask('GET root:/compiled')
  await app.close()
  expect(compiled).toEqual(specs.map(([name]) => name))
})
