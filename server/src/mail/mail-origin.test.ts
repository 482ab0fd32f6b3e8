/** Without PUBLIC_URL, a mail that a job orders or sends links to the host at which its cause was requested. */
import { expect, test } from 'vitest'
import { usePeople } from '../testing/people.ts'

const roz = usePeople()

/** A request at `localhost`, where the tests' server otherwise hears of 127.0.0.1. */
const post = (host: string, path: string, body: object): Promise<Response> =>
  fetch(`http://${host}:${new URL(roz.url).port}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const hostsOf = async (email: string, path: string) =>
  (await roz.mailsTo(email)).flatMap(({ links }) => links.map((link) => new URL(link))).filter((link) => link.pathname === path)

test.each(['localhost', '127.0.0.1'])('the acknowledgement of a message, and a link for a new password, at %s', async (host) => {
  const email = `asha@${host === 'localhost' ? 'local' : 'number'}.test`
  await roz.register(email)
  expect((await post(host, '/contact', { name: 'Asha Verma', email, message: 'How do I change my number?' })).status).toBe(201)
  expect((await post(host, '/auth/forgot-password', { email })).status).toBe(200)
  const { port } = new URL(roz.url)
  expect((await hostsOf(email, '/reset-password')).map((link) => link.host)).toEqual([`${host}:${port}`])
  const [received] = (await roz.mailsTo(email)).filter(({ subject }) => subject.includes('ROZ-'))
  expect(received?.links.map((link) => new URL(link).host)).toEqual([`${host}:${port}`])
})
