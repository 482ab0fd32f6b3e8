/** The counts of people helped, of stories by 6 PM and of videos. Rounds and help are written without their money. */
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { makeMember, makeStaff } from '../../testing/calls.ts'
import { useTestDatabase } from '../../testing/database.ts'
import { insertOutlay, insertStory } from '../../testing/help.ts'
import { insertSettledRound } from '../../testing/settled-round.ts'
import { readHelped } from './helped.ts'

const database = useTestDatabase({ isAudited: false })
let owner: bigint
let finance: bigint
let today: IstDay
beforeAll(async () => {
  ;[owner, finance] = [await makeStaff(database.db, 'owner'), await makeStaff(database.db, 'finance')]
  ;({ today } = await database.db.one<{ today: IstDay }>(sql`select ist_day(roz_now()) as today`))
})

const NONE = { people: 0, stories: { due: 0, inTime: 0 }, payments: { count: 0, withVideo: 0 }, arrivals: { due: 0, inTime: 0 } }
const help = (amount = 100) => insertOutlay(database.db, { askedBy: finance, decidedBy: owner, amount })
const pay = (kind: string, paise: number, to: string, corrects: string | null) =>
  database.db.query(sql`
    insert into outlay (id, kind, amount_paise, purpose, beneficiary_id, corrects, needs_second, status, asked_by, decided_by, decided_at)
    values (gen_random_uuid(), ${kind}::text, ${paise}::bigint, 'shoes', ${to}::uuid, ${corrects}::uuid, false, 'booked', ${finance}::bigint, ${owner}::bigint, roz_now())`)
const tell = (story: { readonly round?: IstDay; readonly outlay?: string; readonly hour?: string; readonly video?: string }) =>
  database.db.query(sql`
    insert into story (id, day, round_day, title, description, charity_name, charity_description, outlay_id, video_url, is_active, published_at)
    values (gen_random_uuid(), ${story.round ?? today}::date, ${story.round ?? null}::date, 'Shoes', 'For school', 'Roz', 'Shoes', ${story.outlay ?? null}::uuid,
      ${story.video ?? null}::text, true, ${story.round === undefined ? null : `${addDays(story.round, 1)}T${story.hour ?? '12:00'}:00+05:30`}::timestamptz)`)

test('before the first help and the first story nothing counts', async () => {
  expect(await readHelped(database.db)).toEqual(NONE)
})

test('a person counts once, also after a revoked consent, and not if all the money came back', async () => {
  const [meera, returned] = [await help(), await help()]
  const again = await help()
  await database.db.query(sql`update beneficiary set revoked_at = roz_now() where id = ${again.beneficiaryId}::uuid`)
  await pay('disbursement', 50, meera.beneficiaryId, null)
  await pay('disbursement_back', 99, returned.beneficiaryId, returned.id)
  expect((await readHelped(database.db)).people).toBe(3)
  await pay('disbursement_back', 1, returned.beneficiaryId, returned.id)
  await insertOutlay(database.db, { status: 'requested', askedBy: finance, decidedBy: owner })
  expect((await readHelped(database.db)).people).toBe(2)
})

test('a story counts as in time at 6 PM of the day after its round, and not a minute later', async () => {
  const winner = await makeMember(database.db)
  for (const back of [2, 3, 4, 40]) await insertSettledRound(database, { day: addDays(today, -back), entries: 2n, winner })
  await tell({ round: addDays(today, -2), hour: '18:00' })
  await tell({ round: addDays(today, -3), hour: '18:01' })
  await tell({ round: addDays(today, -40) })
  expect((await readHelped(database.db)).stories).toEqual({ due: 3, inTime: 1 })
})

test('a payment of the last 30 days counts with its published video', async () => {
  const before = (await readHelped(database.db)).payments
  const [filmed, told] = [await help(), await help()]
  await tell({ round: addDays(today, -4), outlay: filmed.id, video: 'https://youtu.be/dQw4w9WgXcQ' })
  await insertStory(database.db, { outlayId: told.id, video: 'https://youtu.be/dQw4w9WgXcQ' })
  expect((await readHelped(database.db)).payments).toEqual({ count: before.count + 2, withVideo: 1 })
})

test('a payment that came back whole is no help, with a video or without; one that came back in part is', async () => {
  const before = (await readHelped(database.db)).payments
  const [bounced, filmed, partly] = [await help(), await help(), await help()]
  await insertStory(database.db, { outlayId: filmed.id, video: 'https://youtu.be/dQw4w9WgXcQ' })
  for (const { id, beneficiaryId } of [bounced, filmed]) await pay('disbursement_back', 100, beneficiaryId, id)
  await pay('disbursement_back', 99, partly.beneficiaryId, partly.id)
  expect((await readHelped(database.db)).payments).toEqual({ count: before.count + 1, withVideo: before.withVideo })
})
