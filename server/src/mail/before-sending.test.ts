/** Tests what is asked once more before a waiting mail is sent: the account, the member's wish, the consent. */
import { randomUUID } from 'node:crypto'
import { wholeRupees } from '@roz/core/money.ts'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { createJoinBatcher } from '../ledger/join-batcher.ts'
import { addMoney, DAY, endDay, openDay, payOut } from '../ledger/testing/fixtures.ts'
import { makeMember, publicIdOf } from '../testing/calls.ts'
import { useTestDatabase } from '../testing/database.ts'
import { insertStory, payHelp, revokeConsent, takeBack } from '../testing/help.ts'
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

describe('a mail about help', () => {
  let giver: bigint
  beforeAll(async () => {
    giver = await makeMember(database.db)
    await addMoney(database.db, giver, wholeRupees(10))
    await openDay(database, DAY)
    expect(await createJoinBatcher({ db: database.db }).join({ memberId: giver })).toMatchObject({ ok: true })
    await endDay(database, DAY)
    await payOut(database.db, DAY, [giver])
  })
  /** Help of 10 paise from the giver's rupee, with its story. */
  async function newHelp(publicName: string) {
    const paid = await payHelp(database.db, { askedBy: staff, decidedBy: await makeMember(database.db), amount: 10, publicName })
    const storyId = await insertStory(database.db, { outlayId: paid.id, isActive: true })
    await database.db.query(sql`insert into story_telling (story_id) values (${storyId}::uuid)`)
    return { ...paid, storyId }
  }
  const isSent = async (said: object): Promise<boolean> => {
    sent = []
    const data = { publicId: await publicIdOf(database.db, giver), helped: 'Gita', purpose: 'school shoes', ...said }
    await run({ ...weekly(''), template: 'help_told', data })
    return sent.length > 0
  }

  test('is not sent once the consent is revoked; those of a release that named no outlay are known by their words', async () => {
    const [gita, hema] = [await newHelp('Gita'), await newHelp('Hema')]
    const ofGita = [{ outlay: gita.id, helped: 'Gita, by a name since changed' }, {}]
    const ofHema = [{ outlay: hema.id, helped: 'Hema' }, { helped: 'Hema' }]
    for (const mail of [...ofGita, ...ofHema]) expect(await isSent(mail)).toBe(true)
    await revokeConsent(database.db, gita.beneficiaryId)
    for (const mail of ofGita) expect(await isSent(mail)).toBe(false)
    for (const mail of ofHema) expect(await isSent(mail)).toBe(true)
  })

  test('is not sent once the money came back, nor while the story is taken back', async () => {
    const [sita, tara] = [await newHelp('Sita'), await newHelp('Tara')]
    await takeBack(database.db, sita, 9, staff)
    expect(await isSent({ outlay: sita.id })).toBe(true)
    await takeBack(database.db, sita, 1, staff)
    expect(await isSent({ outlay: sita.id })).toBe(false)
    for (const isActive of [false, true]) {
      await database.db.query(sql`update story set is_active = ${isActive}::boolean where id = ${tara.storyId}::uuid`)
      expect(await isSent({ outlay: tara.id })).toBe(isActive)
    }
  })
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
