import { expect, test } from 'vitest'
import { makeMember } from '../../testing/calls.ts'
import { useServicesWorld } from '../../testing/services-world.ts'

const world = useServicesWorld()

test('a member’s 21st export in an hour answers 429 with Retry-After; other members are not affected', async () => {
  const { calls, database } = world
  const [busy, other] = [await makeMember(database.db), await makeMember(database.db)]
  const download = (as: bigint) => calls.ask('GET /user/export', { as })
  for (let n = 0; n < 20; n++) expect((await download(busy)).status).toBe(200)
  const refused = await download(busy)
  expect([refused.status, refused.body.code, Number(refused.headers.get('retry-after')) > 3000]).toEqual([429, 'too_many_requests', true])
  expect((await download(other)).status).toBe(200)
})
