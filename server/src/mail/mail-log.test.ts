/** Tests the log of the mails that were sent to a member. */
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { GiveUpError } from '../jobs/queue.ts'
import { makeMember } from '../testing/calls.ts'
import { useTestDatabase } from '../testing/database.ts'
import { createLoggedMail, forgetOldMails } from './mail-log.ts'
import type { MailPayload } from './mail-payload.ts'

const database = useTestDatabase()
let to: string
beforeAll(async () => {
  await makeMember(database.db)
  const [row] = await database.db.query<{ email: string }>(sql`select email from member`)
  to = row?.email ?? ''
})

const welcome = (address: string): MailPayload => ({ to: address, template: 'welcome', language: 'en', data: { name: 'Asha', origin: '' } })
const kept = () => database.db.query(sql`select job_id as job, template, outcome from member_mail order by job_id`)

test('a sent mail is kept once, by kind and outcome; a failed mail that is retried is not', async () => {
  let fails = true
  const send = createLoggedMail(database.db, async () => {
    if (fails) throw new Error('no answer')
  })
  await expect(send(welcome(to), '1')).rejects.toThrow('no answer')
  expect(await kept()).toEqual([])
  fails = false
  await send(welcome(to.toUpperCase()), '1')
  await send(welcome(to), '1')
  expect(await kept()).toEqual([{ job: 1n, template: 'welcome', outcome: 'sent' }])
})

test('a mail that the mail server refuses for ever is kept as refused', async () => {
  const send = createLoggedMail(database.db, () => Promise.reject(new GiveUpError('no such mailbox')))
  await expect(send(welcome(to), '2')).rejects.toThrow('no such mailbox')
  expect(await kept()).toContainEqual({ job: 2n, template: 'welcome', outcome: 'refused' })
})

test('a mail to an address of no member is not kept; an entry goes after a year', async () => {
  await createLoggedMail(database.db, async () => undefined)(welcome('support@roz.example'), '3')
  expect(await kept()).toHaveLength(2)
  await database.db.query(
    sql`insert into member_mail (job_id, member_id, template, outcome, at) select 4, id, 'reset', 'sent', roz_now() - interval '366 days' from member`,
  )
  await forgetOldMails(database.db)
  expect(await kept()).toHaveLength(2)
})
