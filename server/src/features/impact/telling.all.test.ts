/** Everybody whose rupee is in a story is told: in the app, by push and by mail, once. */
import { beforeAll, expect, test } from 'vitest'
import { storyNews } from '@roz/core/story-news.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type Attempt, createAttempt, listParked } from '../../jobs/parking.ts'
import { makeStaff } from '../../testing/calls.ts'
import { confirmArrival, insertStory, type PaidHelp, payHelp, revokeConsent, takeBack } from '../../testing/help.ts'
import { breakRows, endRests } from '../../testing/database.ts'
import { usePushWorld, type Owner } from '../../testing/push-world.ts'
import type { TestBrowser } from '../../testing/push-service.ts'
import { getStory } from './queries.ts'
import { createStoryMail, tellOnce } from './telling.ts'

const world = usePushWorld()
let staff: bigint
let asha: Owner
let ravi: Owner
let outside: Owner
let device: TestBrowser
let silent: TestBrowser
let shoes: PaidHelp
let storyId: string

/** Asha and Ravi joined the day before; the outsider only today. */
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
  silent = await world.subscribe(outside)
  shoes = await help('school shoes', 'Meera')
  storyId = await draftOf(shoes)
})

const attempt: Attempt = (...work) => createAttempt({ db: world.db, log: { warn: () => undefined, error: () => undefined } })(...work)
const help = (purpose: string, publicName: string, amount = 100, hindi?: string): Promise<PaidHelp> =>
  payHelp(world.db, { amount, purpose, publicName, askedBy: staff, decidedBy: staff, ...(hindi === undefined ? {} : { hindi }) })
/** The next day, on which only the rupees of the day before are left to help with. */
const nextDayAlone = async (): Promise<void> => {
  await world.nextDay()
  const [before] = await world.db.query<{ paise: bigint }>(sql`
    select coalesce(sum(open), 0)::bigint as paise from help_day where day < ist_day(roz_now()) - 1`)
  if (before !== undefined && before.paise > 0n) await help('what was left', 'Usha', Number(before.paise))
}
const draftOf = ({ id }: PaidHelp): Promise<string> => insertStory(world.db, { outlayId: id })
/** As the editor's call does it. */
const setActive = (id: string, isActive: boolean): Promise<void> =>
  inTransaction(world.db, async (tx) => {
    await tx.query(sql`update story set is_active = ${isActive}::boolean, published_at = roz_now() where id = ${id}::uuid`)
    await tellOnce(tx, id)
  })
const noticesOf = async ({ token }: Owner, language = 'en') =>
  (await world.ask('GET /notifications', { token, language })).body.notifications.filter(({ kind }: { kind: string }) =>
    kind.startsWith('help_told'),
  )
const mailsTo = async ({ id }: Owner) => {
  const [row] = await world.db.query<{ email: string }>(sql`select email from member where id = ${id}::bigint`)
  return (await world.mailer.listCaught(row?.email ?? '')).filter(({ text }) => /see the bill|बिल देखें/.test(text))
}
const charitiesOf = async ({ token }: Owner): Promise<number> => (await world.ask('GET /impact/stats', { token })).body.charitiesSupported
const newsTo = (browser: TestBrowser) => browser.arrived.map(({ text }) => JSON.parse(text)).filter(({ path }) => path === '/history')

test('a draft tells nobody, and says how many its publication would tell', async () => {
  expect(await getStory(world.db, storyId)).toMatchObject({ purpose: 'school shoes', helped: 'Meera', days: 1, givers: 2n, isTold: false })
  await world.runAll()
  expect(await noticesOf(asha)).toEqual([])
  expect(await mailsTo(asha)).toEqual([])
})

test('once it is published, each member whose rupee is in it is told, and nobody else', async () => {
  await setActive(storyId, true)
  await world.runAll()
  expect(await getStory(world.db, storyId)).toMatchObject({ isTold: true })
  const [notice] = await noticesOf(asha)
  expect(notice).toMatchObject({ id: `s${storyId}`, kind: 'help_told', title: 'Help was sent with your rupee', readAt: null })
  expect(notice.body).toBe('Your 50 paise of 21 November 2026: school shoes for Meera, with 1 other.')
  expect((await noticesOf(ravi, 'hi'))[0].body).toBe('21 नवंबर 2026 के आपके 50 पैसे: Meera के लिए school shoes, 1 और सदस्य के साथ।')
  expect(await noticesOf(outside)).toEqual([])
  expect(newsTo(device)).toEqual([storyNews({ id: storyId, purpose: 'school shoes' }, 'en')])
  expect(JSON.stringify(newsTo(device))).not.toContain('Meera')
  expect(newsTo(silent)).toEqual([])
  expect((await mailsTo(asha)).map(({ subject }) => subject)).toEqual(['Your rupee helped: school shoes for Meera'])
  expect((await mailsTo(ravi)).map(({ subject }) => subject)).toEqual(['आपके रुपये से मदद: Meera के लिए school shoes'])
  expect(await mailsTo(outside)).toEqual([])
})

test('once somebody else confirms that it arrived, the notice says so', async () => {
  await confirmArrival(world.db, shoes, await makeStaff(world.db, 'owner'))
  expect((await noticesOf(asha))[0].body).toMatch(/, with 1 other\. Received, confirmed by a call on \d{1,2} November 2026\.$/)
  expect((await noticesOf(ravi, 'hi'))[0].body).toMatch(/ मदद मिल गई: \d{1,2} नवंबर 2026 को फ़ोन पर पुष्टि हुई।$/)
})

test('taken back, it tells nothing; published again, it is the same notice and no second mail or push', async () => {
  await world.ask('POST /notifications/read', { token: asha.token, body: { ids: [`s${storyId}`] } })
  expect((await noticesOf(asha))[0].readAt).not.toBeNull()
  expect((await noticesOf(ravi))[0].readAt).toBeNull()
  await setActive(storyId, false)
  expect(await noticesOf(asha)).toEqual([])
  await Promise.all([setActive(storyId, true), setActive(storyId, true)])
  await world.db.query(sql`delete from job where kind in ('push_story', 'push_story_page', 'mail')`)
  await world.nextDay()
  expect((await noticesOf(asha)).map(({ readAt }: { readAt: string | null }) => readAt === null)).toEqual([false])
  expect([await mailsTo(asha), newsTo(device)].map(({ length }) => length)).toEqual([1, 1])
})

test('its charity counts for each member whose rupee was allotted to it, only while it is published', async () => {
  expect([await charitiesOf(asha), await charitiesOf(ravi), await charitiesOf(outside)]).toEqual([1, 1, 0])
  await setActive(storyId, false)
  expect([await charitiesOf(asha), await charitiesOf(outside)]).toEqual([0, 0])
  await setActive(storyId, true)
  expect(await charitiesOf(asha)).toBe(1)
})

test('all notices are marked read at once, and counted before', async () => {
  const unread = async () => (await world.ask('GET /notifications', { token: ravi.token })).body.unread
  const before = await unread()
  expect(before).toBeGreaterThan(0)
  expect((await world.ask('POST /notifications/read', { token: ravi.token, body: {} })).body.unread).toBe(0)
  expect(await unread()).toBe(0)
})

test('two stories of a day are one mail, and a third of that day waits for the next', async () => {
  await world.join(asha)
  await world.join(ravi)
  await world.db.query(sql`update member set wants_mail = false where id = ${ravi.id}::bigint`)
  await world.nextDay()
  const [rice, books] = [await draftOf(await help('rice', 'Ramesh', 30)), await draftOf(await help('books', 'Sita', 80))]
  await setActive(rice, true)
  await setActive(books, true)
  // Two workers at once, and a worker that starts over, as after a crash.
  const now = new Date(Date.parse(`${world.today()}T12:00:00+05:30`))
  const run = async (): Promise<void> => {
    const due = createStoryMail(world.db, attempt)
    while (await due(now));
  }
  await Promise.all([run(), run(), run()])
  await world.db.query(sql`update story_mail set done_at = null, last_member = 0 where day = ${world.today()}::date`)
  await run()
  await world.runAll()
  expect((await mailsTo(asha)).length).toBe(2)
  expect((await mailsTo(asha))[0]?.text).toContain('One more story shows help from your rupees.')
  expect((await mailsTo(ravi)).length).toBe(1)
  const late = await draftOf(await help('a blanket', 'Gita', 20))
  await setActive(late, true)
  await world.runAll()
  expect((await mailsTo(asha)).length).toBe(2)
  await world.nextDay()
  expect((await mailsTo(asha)).map(({ subject }) => subject)[0]).toBe('Your rupee helped: a blanket for Gita')
  expect((await mailsTo(asha)).length).toBe(3)
})

test('no mail begins at night', async () => {
  await world.join(asha)
  await world.nextDay()
  const milk = await help('milk', 'Tara', 20)
  await setActive(await draftOf(milk), true)
  const due = createStoryMail(world.db, attempt)
  for (const time of ['08:59:59', '21:00:00', '00:00:01'])
    expect(await due(new Date(Date.parse(`${world.today()}T${time}+05:30`))), time).toBe(false)
  expect(await due(new Date(Date.parse(`${world.today()}T20:59:59+05:30`)))).toBe(true)
  const [mail] = await world.db.query(sql`
    select payload -> 'data' ->> 'outlay' as outlay from job where kind = 'mass_mail' and key like ${`help_told:${asha.id}:%`}::text and done_at is null`)
  expect(mail, 'by which a revocation finds it').toEqual({ outlay: milk.id })
})

test('nobody is told any more of help that a correction took back in full, or of a person who revoked the consent', async () => {
  const bodies = async (): Promise<string> => JSON.stringify(await noticesOf(asha))
  expect(await bodies()).toContain('school shoes')
  await takeBack(world.db, shoes, 100, staff)
  expect(await bodies()).not.toContain('school shoes')
  expect(await bodies()).toContain('milk')
  const [milk] = await world.db.query<{ id: string }>(sql`
    select b.id from beneficiary b where public_name = 'Tara'`)
  await revokeConsent(world.db, milk?.id ?? '')
  expect(await bodies()).not.toContain('milk')
})

test('all notices about a rupee together claim at most its help share', async () => {
  await world.join(asha)
  await world.join(ravi)
  await nextDayAlone()
  // 33 of the 120 paise of two rupees are 16.5 paise of each.
  for (const [purpose, amount] of [
    ['rice', 33],
    ['milk', 33],
    ['soap', 54],
  ] as const)
    await setActive(await draftOf(await help(purpose, 'Usha', amount)), true)
  const told = (await noticesOf(asha)).slice(0, 3).map(({ body }: { body: string }) => Number(/^Your (\d+) paise/.exec(body)?.[1]))
  expect(told).toEqual([27, 16, 16])
})

test('the draft of a day that is linked to help later tells the givers like any other', async () => {
  await world.join(ravi)
  await world.nextDay()
  const rent = await help('school fees', 'Nisha', 30)
  const id = await insertStory(world.db, {})
  await world.db.query(sql`update story set outlay_id = ${rent.id}::uuid where id = ${id}::uuid`)
  await setActive(id, true)
  expect(JSON.stringify(await noticesOf(ravi))).toContain('school fees')
})

test('a member whose mail fails stops nobody else’s, and gets it once the row is mended', async () => {
  await world.join(asha)
  await world.join(outside)
  await nextDayAlone()
  await setActive(await draftOf(await help('a lamp', 'Leela', 120)), true)
  const mend = await breakRows(world.database, 'job', `new.kind = 'mass_mail' and new.key like 'help_told:${asha.id}:%'`)
  await world.nextDay()
  const ordered = async (owner: Owner): Promise<number> => {
    const key = `help_told:${owner.id}:${world.today()}`
    return (await world.db.query(sql`select 1 from job where kind = 'mass_mail' and key = ${key}::text`)).length
  }
  for (let tries = 0; tries < 5; tries++) {
    await endRests(world.db)
    await world.runAll()
  }
  expect([await ordered(outside), await ordered(asha)]).toEqual([1, 0])
  expect(await listParked(world.db)).toMatchObject([{ work: 'story_mail', item: `${world.today()} member ${asha.id}` }])
  await mend()
  await endRests(world.db)
  await world.runAll()
  expect([await ordered(outside), await ordered(asha)]).toEqual([1, 1])
  expect(await listParked(world.db)).toEqual([])
})

test('each giver is told in their own language: notice, push message and mail', async () => {
  await world.db.query(sql`update member set wants_mail = true where id = ${ravi.id}::bigint`)
  const phone = await world.subscribe(ravi)
  await world.join(asha)
  await world.join(ravi)
  await nextDayAlone()
  const id = await draftOf(await help('a stove', 'Roshni', 100, 'एक चूल्हा'))
  await setActive(id, true)
  await world.runAll()
  expect((await noticesOf(ravi, 'hi'))[0].body).toContain('Roshni के लिए एक चूल्हा, ')
  expect((await noticesOf(asha))[0].body).toContain('a stove for Roshni, ')
  expect(newsTo(phone)).toEqual([storyNews({ id, purpose: 'एक चूल्हा' }, 'hi')])
  expect(newsTo(device)).toContainEqual(storyNews({ id, purpose: 'a stove' }, 'en'))
  await world.nextDay()
  expect((await mailsTo(ravi))[0]?.subject).toBe('आपके रुपये से मदद: Roshni के लिए एक चूल्हा')
  expect((await mailsTo(asha))[0]?.subject).toBe('Your rupee helped: a stove for Roshni')
})
