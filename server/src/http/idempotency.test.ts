import { expect, test } from 'vitest'
import { createSecrets } from '../secrets/secrets.ts'
import { useTestDatabase } from '../testing/database.ts'
import { createIdempotency, type KeyedCall } from './idempotency.ts'

// The audit lists every call whose answers are remembered, and the call of this test is not among them.
const database = useTestDatabase({ isAudited: false })

const call: KeyedCall = { memberId: 1001n, key: 'k', route: 'a call of the test', body: { amount: 10 } }

test('after a rotation of SECRET_KEY the same key and body still get the first answer', async () => {
  const before = createIdempotency({ db: database.db, secrets: createSecrets({ secretKey: 'the old one' }) })
  const after = createIdempotency({ db: database.db, secrets: createSecrets({ secretKey: 'the new one', secretKeyOld: 'the old one' }) })
  expect(await before.once(call, 'x', async () => ({ ok: true, value: 'first' }))).toEqual({ ok: true, value: 'first' })
  expect(await after.once(call, 'y', async () => ({ ok: true, value: 'second' }))).toEqual({ ok: true, value: 'first' })
  const other = { ...call, body: { amount: 11 } }
  expect(await after.once(other, 'z', async () => ({ ok: true, value: 'third' }))).toEqual({ ok: false, code: 'idempotency_mismatch' })
})

test('the key of an effect that throws can be used again', async () => {
  const { once } = createIdempotency({ db: database.db, secrets: createSecrets({ secretKey: 'the old one' }) })
  const keyed = { ...call, key: 'thrown' }
  const failing = once(keyed, 'x', async () => {
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  expect(await once(keyed, 'y', async () => ({ ok: true, value: 'done' }))).toEqual({ ok: true, value: 'done' })
})
