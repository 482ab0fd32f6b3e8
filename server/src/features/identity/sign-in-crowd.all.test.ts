/** Many sign-ins at once: each costs a password hash, so a busy machine gets five minutes. */
import { expect, test } from 'vitest'
import { isPassword } from '../../members/passwords.ts'
import { PASSWORD, usePeople } from '../../testing/people.ts'

const PATIENCE_MS = 300_000
const roz = usePeople()

test('eighty right sign-ins at once all succeed', { timeout: PATIENCE_MS }, async () => {
  await roz.register('parallel@x.test')
  const answers = await Promise.all(Array.from({ length: 80 }, () => roz.login('parallel@x.test', PASSWORD)))
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
})

test('when the password queue is full, the next sign-in answers 503 and does not count as a wrong password', {
  timeout: PATIENCE_MS,
}, async () => {
  let isOver = false
  const crowd = Promise.all(
    Array.from({ length: 3 + 256 }, async () => {
      while (!isOver) await isPassword(undefined, 'x').catch(() => new Promise((resolve) => setImmediate(resolve)))
    }),
  )
  const answer = await roz.login('crowd@x.test', 'wrong password', { ip: '127.0.0.9' })
  expect([answer.status, answer.body]).toEqual([
    503,
    { code: 'overloaded', message: 'We are very busy right now. Please try again in a moment.' },
  ])
  expect(answer.headers.get('retry-after')).toBe('2')
  isOver = true
  await crowd
  for (let i = 0; i < 10; i++) expect((await roz.login('crowd@x.test', 'wrong password', { ip: '127.0.0.9' })).status).toBe(401)
  expect((await roz.login('crowd@x.test', 'wrong password', { ip: '127.0.0.9' })).status).toBe(429)
})
