/** Tests the page and the JSON list of caught mails. */
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { usePeople } from '../../testing/people.ts'

const roz = usePeople()
beforeAll(async () => {
  await roz.register('first@x.test')
  // A name from before names were restricted to letters.
  await roz.db.query(sql`
    update job set payload = jsonb_set(payload, '{data,name}', '"<img src=x onerror=alert(1)>"') where kind = 'mail'`)
  await roz.runJobs()
  await roz.register('Second@x.test')
  await roz.runJobs()
})

test('/dev/mail.json lists to, subject, text, html, links and at, newest first', async () => {
  const all = await roz.ask('GET root:/dev/mail.json')
  expect(all.body.map((mail: { to: string }) => mail.to)).toEqual(['Second@x.test', 'first@x.test'])
  expect(Object.keys(all.body[0])).toEqual(['to', 'subject', 'text', 'html', 'links', 'at'])
  expect(all.body[0].links[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/verify-email\?token=[\w-]{43}$/)
  expect(Number.isNaN(Date.parse(all.body[0].at))).toBe(false)
})

test('?to= takes an address in any case', async () => {
  expect((await roz.ask('GET root:/dev/mail.json?to=SECOND@x.test')).body).toHaveLength(1)
  expect((await roz.ask('GET root:/dev/mail.json?to=nobody@x.test')).body).toEqual([])
  expect((await roz.ask('GET root:/dev/mail.json?to=')).body).toHaveLength(2)
  expect((await roz.ask('GET root:/dev/mail.json?to=second@x.test&to=first@x.test')).body).toHaveLength(1)
})

test('/dev/mail shows the mails on a page, and no HTML of a mail runs there', async () => {
  const page = await roz.ask('GET root:/dev/mail')
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page.text).toContain('Verify your email for Roz')
  expect(page.text).toContain('/verify-email?token=')
  expect(page.text).not.toContain('<img')
  expect((await roz.ask('GET root:/dev/mail?to=%22%3E%3Cscript%3E')).text).not.toContain('<script')
  expect((await roz.ask('GET root:/dev/mail?to=nobody@x.test')).text).toContain('No mail yet.')
})
