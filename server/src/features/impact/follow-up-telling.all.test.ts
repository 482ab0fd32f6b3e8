/** The givers hear of a follow-up once: in the app, by push and in the weekly mail. */
import { followUpNews } from '@roz/core/story-news.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { createJudgedMail } from '../../mail/before-sending.ts'
import type { MailPayload } from '../../mail/mail-payload.ts'
import { mailWords } from '../../mail/mail-texts.ts'
import { pushFollowUps } from '../../members/told-follow-ups.ts'
import { TEST_FRAME } from '../../testing/modes.ts'
import { makeStaff, publicIdOf } from '../../testing/calls.ts'
import { insertStory, type PaidHelp, payHelp, revokeConsent } from '../../testing/help.ts'
import type { TestBrowser } from '../../testing/push-service.ts'
import { usePushWorld, type Owner } from '../../testing/push-world.ts'
import { eraseIdentity } from '../rights/erase.ts'
import { tellOnce } from './telling.ts'

const world = usePushWorld()
let staff: bigint
let asha: Owner
let ravi: Owner
let outside: Owner
let device: TestBrowser
let phone: TestBrowser
let silent: TestBrowser
let meera: PaidHelp
let storyId: string

/** Asha and Ravi joined the day before, whose money paid for the shoes; the outsider joined only today. */
beforeAll(async () => {
  staff = await makeStaff(world.db, 'editor')
  asha = await world.member()
  ravi = await world.member('hi')
  outside = await world.member()
  await world.join(asha)
  await world.join(ravi)
  await world.nextDay()
  await world.join(outside)
  device = await world.subscribe(asha)
  phone = await world.subscribe(ravi)
  silent = await world.subscribe(outside)
  meera = await payHelp(world.db, {
    amount: 100,
    purpose: 'school shoes',
    hindi: 'स्कूल के जूते',
    publicName: 'Meera',
    askedBy: staff,
    decidedBy: staff,
  })
  storyId = await insertStory(world.db, { outlayId: meera.id })
  await setActive(true)
})
beforeEach(() => world.db.query(sql`delete from follow_up`))
afterAll(async () => {
  expect(world.service.problems).toEqual([])
})

/** As the editor's call does it. */
const setActive = (isActive: boolean): Promise<void> =>
  inTransaction(world.db, async (tx) => {
    await tx.query(sql`update story set is_active = ${isActive}::boolean, published_at = roz_now() where id = ${storyId}::uuid`)
    await tellOnce(tx, storyId)
  })
/** As the call that records it does. */
async function record(weeks: number): Promise<string> {
  return inTransaction(world.db, async (tx) => {
    const [row] = await tx.query<{ id: string }>(sql`
      insert into follow_up (id, outlay_id, weeks, written_in, words, recorded_by)
      values (gen_random_uuid(), ${meera.id}::uuid, ${weeks}::int, 'en', 'She walks to school.', ${staff}::bigint) returning id`)
    await pushFollowUps(tx, sql`${meera.id}::uuid`)
    return row?.id ?? ''
  })
}
const withhold = (id: string) => world.db.query(sql`update follow_up set withheld = 'It names her street' where id = ${id}::uuid`)
const noticesOf = async ({ token }: Owner, language = 'en') =>
  (await world.ask('GET /notifications', { token, language })).body.notifications.filter(
    ({ kind }: { kind: string }) => kind === 'follow_up_told',
  )
const unread = async ({ token }: Owner): Promise<number> => (await world.ask('GET /notifications', { token })).body.unread
const news = (browser: TestBrowser) => browser.arrived.map(({ text }) => JSON.parse(text)).filter(({ path }) => path === '/notifications')
/** The weekly mail that waits for this member, as it is when it is sent. */
async function weeklyMail({ id }: Owner): Promise<string> {
  const [row] = await world.db.query<{ publicId: string; from: string }>(sql`
    select public_id as "publicId", (ist_day(roz_now()) - (extract(isodow from ist_day(roz_now()))::int - 1))::text as from
      from member where id = ${id}::bigint`)
  const data = { name: 'Asha', origin: '', rounds: '1', from: row?.from, to: row?.from, publicId: row?.publicId }
  const sent: MailPayload[] = []
  const waiting = { to: 'a@x.test', template: 'weekly_joins', language: 'en', data } as unknown as MailPayload
  await createJudgedMail(world.db, async (payload) => void sent.push(payload))(waiting, '1')
  return sent.flatMap((payload) => mailWords(payload, TEST_FRAME).paragraphs).join('\n')
}

test('each member whose rupee is in that help hears once, and nobody else', async () => {
  const before = await unread(asha)
  const id = await record(4)
  await world.runAll()
  expect(await noticesOf(asha)).toMatchObject([
    {
      id: `f${id}`,
      title: 'Meera, 4 weeks later',
      body: 'Your rupees helped with: school shoes. Read what the person says now.',
      readAt: null,
      storyId,
    },
  ])
  expect((await noticesOf(ravi, 'hi'))[0]).toMatchObject({ title: 'Meera, 4 हफ़्ते बाद', body: expect.stringContaining('स्कूल के जूते') })
  expect(await noticesOf(outside)).toEqual([])
  expect(news(device)).toEqual([followUpNews({ id, purpose: 'school shoes' }, 'en')])
  expect(news(phone)).toEqual([followUpNews({ id, purpose: 'स्कूल के जूते' }, 'hi')])
  expect(JSON.stringify(news(device))).not.toContain('Meera')
  expect(news(silent)).toEqual([])
  expect(await weeklyMail(asha)).toContain('Meera, 4 weeks later: read what the person says after the help from your rupees.')
  expect(await weeklyMail(outside)).not.toContain('Meera')
  expect(await unread(asha)).toBe(before + 1)
  await world.ask('POST /notifications/read', { token: asha.token, body: { ids: [`f${id}`] } })
  expect(await unread(asha)).toBe(before)
  expect((await noticesOf(ravi))[0].readAt).toBeNull()
})

test('two servers at once, and one that was killed before it noted its work, tell each device once', async () => {
  const told = news(device).length
  const id = await record(2)
  await Promise.all([world.runAll(), world.runAll(), setActive(true), setActive(true)])
  // As after kill -9: the jobs run again.
  await world.db.query(sql`update job set done_at = null where kind in ('push_follow_up', 'push_follow_up_page')`)
  await Promise.all([world.runAll(), world.runAll()])
  expect(news(device)).toHaveLength(told + 1)
  expect(await noticesOf(asha)).toHaveLength(1)
  expect(await world.db.query(sql`select from follow_up_pushed where follow_up_id = ${id}::uuid`)).toHaveLength(2)
})

test('one that is recorded while its story is published is told by one of the two', async () => {
  await setActive(false)
  const told = news(device).length
  await Promise.all([record(12), setActive(true)])
  await world.runAll()
  expect(news(device)).toHaveLength(told + 1)
})

test('a withheld answer, and one whose consent ended before it was told, tells nobody', async () => {
  const told = news(device).length
  for (const end of [withhold, (id: string) => world.db.query(sql`delete from follow_up where id = ${id}::uuid`)]) {
    await end(await record(2))
    await world.runAll()
    expect([await noticesOf(asha), news(device).length]).toEqual([[], told])
    expect(await weeklyMail(asha)).not.toContain('Meera')
    await world.db.query(sql`delete from follow_up`)
  }
})

test('a story that is taken back tells nothing until it is public again', async () => {
  await record(4)
  await setActive(false)
  expect(await noticesOf(asha)).toEqual([])
  expect(await weeklyMail(asha)).not.toContain('Meera')
  await setActive(true)
  expect(await noticesOf(asha)).toHaveLength(1)
})

test('several answers of a week are one sentence of the mail', async () => {
  await record(2)
  await record(4)
  expect(await weeklyMail(asha)).toContain('In all, 2 answers came this week.')
})

const mute = ({ token }: Owner, muted = true) => world.ask(`PUT /impact/stories/${storyId}/mute`, { token, body: { muted } })
const muteOf = async ({ token }: Owner) => (await world.ask(`GET /impact/stories/${storyId}/mute`, { token })).body

test('a giver who mutes the story hears nothing further of it, by any way, until the mute ends', async () => {
  const first = await record(2)
  await world.runAll()
  const told = news(device).length
  expect((await mute(asha)).body).toEqual({ isGiver: true, muted: true })
  const before = await unread(asha)
  await record(4)
  await world.runAll()
  expect(await noticesOf(asha)).toMatchObject([{ id: `f${first}`, readAt: expect.any(String), isStoryMuted: true }])
  expect([await unread(asha), news(device).length]).toEqual([before, told])
  expect(await weeklyMail(asha)).not.toContain('Meera')
  // Others still hear.
  expect(await noticesOf(ravi)).toHaveLength(2)
  expect(await weeklyMail(ravi)).toContain('Meera')
  expect((await mute(asha, false)).body).toEqual({ isGiver: true, muted: false })
  expect((await noticesOf(asha)).map(({ isStoryMuted }: { isStoryMuted: boolean }) => isStoryMuted)).toEqual([false, false])
})

test('a muted story sends no mail of its own: neither one that is ordered later nor one that waits', async () => {
  const publicId = await publicIdOf(world.db, asha.id)
  const data = { outlay: meera.id, helped: 'Meera', purpose: 'school shoes', more: '0', publicId, name: '', origin: '' }
  const waiting = { to: 'a@x.test', template: 'help_told', language: 'en', data } as unknown as MailPayload
  const sent: string[] = []
  const send = () => createJudgedMail(world.db, async (_payload, jobId) => void sent.push(jobId))(waiting, 'mail')
  await mute(asha)
  await send()
  expect(sent).toEqual([])
  await mute(asha, false)
  await send()
  expect(sent).toEqual(['mail'])
})

test('a mute and its end at once, and twice the same, leave one state; at once with a record nothing is heard later', async () => {
  for (const answer of await Promise.all([mute(asha), mute(asha), mute(asha, false), mute(asha)])) expect(answer.status).toBe(200)
  await Promise.all([mute(asha), record(2)])
  await world.runAll()
  const [shown, told] = [await noticesOf(asha), news(device).length]
  await record(4)
  await world.runAll()
  expect([await noticesOf(asha), news(device).length]).toEqual([shown, told])
  expect((await muteOf(asha)).muted).toBe(true)
  await mute(asha, false)
})

test('only a giver mutes a story that is public', async () => {
  expect(await muteOf(outside)).toEqual({ isGiver: false, muted: false })
  for (const answer of [
    await mute(outside),
    await world.ask('PUT /impact/stories/unknown/mute', { token: asha.token, body: { muted: true } }),
  ])
    expect([answer.status, answer.body.code]).toEqual([404, 'story_not_found'])
  await setActive(false)
  expect((await mute(asha)).body.code).toBe('story_not_found')
  await setActive(true)
  expect((await mute(asha)).status).toBe(200)
  expect((await world.ask('GET /user/export', { token: asha.token })).body.mutedStories).toEqual([{ storyId, mutedAt: expect.any(String) }])
  await mute(asha, false)
})

test('an erasure at the same time as a mute leaves none', async () => {
  await mute(ravi)
  await Promise.all([mute(ravi), inTransaction(world.db, (tx) => eraseIdentity(tx, ravi.id))])
  expect(await world.db.query(sql`select from story_mute where member_id = ${ravi.id}::bigint`)).toEqual([])
})

test('after a revoked consent no notice and no waiting mail or message names her, and the totals stay', async () => {
  const { body } = await world.ask('GET /impact/stats', { token: asha.token })
  await record(4)
  // As the call that records it does.
  await revokeConsent(world.db, meera.beneficiaryId)
  await setActive(false)
  const told = news(device).length
  await world.runAll()
  for (const path of ['GET /notifications', 'GET /impact/stories', 'GET /rounds/history'])
    expect((await world.ask(path, { token: asha.token })).text).not.toContain('Meera')
  expect(await weeklyMail(asha)).not.toContain('Meera')
  expect(news(device)).toHaveLength(told)
  expect((await world.db.query(sql`select from job where payload::text like '%Meera, %'`)).length).toBe(0)
  expect(body.charitiesSupported).toBe(1)
  expect((await world.ask('GET /impact/stats', { token: asha.token })).body).toEqual(body)
})
