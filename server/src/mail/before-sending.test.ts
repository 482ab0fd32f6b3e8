/** Tests what is asked once more before a waiting mail is sent: the account, the member's wish, the consent. */
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { makeMember, publicIdOf } from '../testing/calls.ts'
import { useTestDatabase } from '../testing/database.ts'
import { insertOutlay, revokeConsent } from '../testing/help.ts'
import { createJudgedMail, twoAtOnce } from './before-sending.ts'
import type { MailPayload } from './mail-payload.ts'

const database = useTestDatabase()
let staff: bigint
beforeAll(async () => {
  staff = await makeMember(database.db)
})

let sent: string[]
beforeEach(() => {
  sent = []
})
const run = (payload: object): Promise<void> =>
  createJudgedMail(database.db, async (_payload, jobId) => void sent.push(jobId))(payload as MailPayload, 'mail')

async function member(change = sql`wants_mail = true`): Promise<string> {
  const id = await makeMember(database.db)
  await database.db.query(sql`update member set ${change} where id = ${id}::bigint`)
  return publicIdOf(database.db, id)
}
const weekly = (publicId: string) => ({
  to: 'a@x.test',
  template: 'weekly_joins',
  language: 'en',
  data: { name: '', origin: '', publicId },
})
const returned = (publicId: string) => ({ ...weekly(publicId), template: 'round_returned' })
const told = async (data: object) => ({ ...weekly(await member()), template: 'help_told', data: { publicId: await member(), ...data } })

test('a mail to a member is sent; after the account is deleted it is not, whatever it says', async () => {
  await run(weekly(await member()))
  expect(sent).toEqual(['mail'])
  const gone = await member(sql`deleted_at = roz_now(), email = null`)
  await run(weekly(gone))
  await run(returned(gone))
  expect(sent).toEqual(['mail'])
})

test('a member who stops these mails gets none of those that wait, and still the mails about money', async () => {
  const quiet = await member(sql`wants_mail = false`)
  await run(weekly(quiet))
  expect(sent).toEqual([])
  await run(returned(quiet))
  expect(sent).toEqual(['mail'])
})

test('a mail that names no member in its data is sent: a reset, an answer to a message', async () => {
  await run({ to: 'a@x.test', template: 'contact_received', language: 'en', data: { name: '', origin: '', ticket: 'T1' } })
  expect(sent).toEqual(['mail'])
})

test('a revoked consent stops the waiting mails about that help, and no other', async () => {
  const [gita, hema] = [
    await insertOutlay(database.db, { askedBy: staff, decidedBy: await makeMember(database.db), publicName: 'Gita' }),
    await insertOutlay(database.db, { askedBy: staff, decidedBy: await makeMember(database.db), publicName: 'Hema' }),
  ]
  const { purpose } = await database.db.one<{ purpose: string }>(sql`select purpose from outlay where id = ${gita.id}::uuid`)
  const mails = [
    await told({ outlay: gita.id, helped: 'Gita, by a name since changed', purpose }),
    await told({ helped: 'Gita', purpose }),
    await told({ outlay: hema.id, helped: 'Hema', purpose }),
    await told({ helped: 'Hema', purpose }),
    await told({ outlay: randomUUID(), helped: 'Gita', purpose }),
  ]
  for (const mail of mails) await run(mail)
  expect(sent).toHaveLength(5)
  await revokeConsent(database.db, gita.beneficiaryId)
  sent = []
  for (const mail of mails.slice(0, 2)) await run(mail)
  expect(sent).toEqual([])
  for (const mail of mails.slice(2)) await run(mail)
  expect(sent).toHaveLength(3)
})

test('of mails to many two are sent at once, so that one connection stays free; all sixteen of a lane are sent', async () => {
  const open: PromiseWithResolvers<void>[] = []
  const send = twoAtOnce(() => {
    const one = Promise.withResolvers<void>()
    open.push(one)
    return one.promise
  })
  const all = Promise.all(Array.from({ length: 16 }, async (_, n) => send(weekly(randomUUID()) as MailPayload, String(n))))
  for (let ended = 0; ended < 16; ended++) {
    expect(open).toHaveLength(Math.min(ended + 2, 16))
    open[ended]?.resolve()
    await new Promise(setImmediate)
  }
  await all
})
