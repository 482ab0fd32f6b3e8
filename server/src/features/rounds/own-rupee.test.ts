/** Where a member's rupee went: on the history and by its own call, only for the member's own days. */
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { confirmArrival, insertStory, type PaidHelp, payHelp, revokeConsent, takeBack } from '../../testing/help.ts'
import { makeStaff } from '../../testing/calls.ts'
import { useRoundsWorld } from '../../testing/rounds-world.ts'

const world = useRoundsWorld()
let asha: bigint
let ravi: bigint
let finance: bigint
let shoes: PaidHelp
const midnight = (day: string): string => `${day}T00:00:01+05:30`

/** Two members on the 21st and one of them on the 22nd: shares of ₹1.20 and ₹0.60. Today is the 24th. */
beforeAll(async () => {
  asha = await world.member(10, { name: 'Asha Verma' })
  ravi = await world.member(10, { name: 'Ravi Kumar' })
  finance = await makeStaff(world.db, 'finance')
  for (const member of [asha, ravi]) expect((await world.join(member)).status).toBe(200)
  await world.goTo(midnight('2026-11-22'))
  expect((await world.join(ravi)).status).toBe(200)
  await world.goTo(midnight('2026-11-23'))
  await world.goTo(midnight('2026-11-24'))
})

const help = (amount: number, purpose: string, publicName: string): Promise<PaidHelp> =>
  payHelp(world.db, { amount, purpose, publicName, askedBy: finance, decidedBy: finance })
const trails = async (as: bigint): Promise<Record<string, unknown>> => {
  const { results } = (await world.ask('GET /rounds/history', { as })).body
  return Object.fromEntries(results.map(({ date, rupee }: { date: string; rupee: unknown }) => [date, rupee]))
}
const ofDay = async (as: bigint, day: string) => (await world.ask(`GET /user/rupees/${day}`, { as })).body.rupee

test('before it is spent, it waits in the help fund', async () => {
  const waits = { paise: 60, others: 1, share: 1.2, waiting: 1.2, days: 3, help: [], back: [] }
  expect(await trails(asha)).toEqual({ '2026-11-23': null, '2026-11-22': null, '2026-11-21': waits })
  expect(await ofDay(asha, '2026-11-21')).toEqual(waits)
  expect(await trails(ravi)).toMatchObject({ '2026-11-22': { paise: 60, others: 0, share: 0.6, waiting: 0.6, days: 2, help: [] } })
})

test('once it is spent, it names what it paid, with the bill and the day of the books', async () => {
  shoes = await help(100, 'school shoes', 'Meera')
  const paid = {
    amount: 1,
    purpose: 'school shoes',
    language: 'en',
    name: 'Meera',
    on: '2026-11-24',
    receipts: [shoes.hash.toString('hex')],
    received: null,
    voice: null,
    storyId: null,
    videoUrl: null,
  }
  expect((await trails(asha))['2026-11-21']).toEqual({ paise: 60, others: 1, share: 1.2, waiting: 0.2, days: 3, help: [paid], back: [] })
  expect(await ofDay(ravi, '2026-11-21')).toMatchObject({ help: [paid] })
  await confirmArrival(world.db, shoes, await makeStaff(world.db, 'editor'))
  expect(await ofDay(ravi, '2026-11-21')).toMatchObject({ help: [{ ...paid, received: { on: '2026-11-24', how: 'call' } }] })
})

test('a share that went to two is listed with the amount of each, and a later day gives the rest', async () => {
  await help(50, 'rice', 'Ramesh')
  const { '2026-11-21': first, '2026-11-22': second } = (await trails(ravi)) as Record<string, { help: unknown[]; waiting: number }>
  expect(first).toMatchObject({
    waiting: 0,
    help: [
      { purpose: 'school shoes', amount: 1 },
      { purpose: 'rice', amount: 0.2 },
    ],
  })
  expect(second).toMatchObject({ waiting: 0.3, help: [{ purpose: 'rice', name: 'Ramesh', amount: 0.3 }] })
})

test('each reader gets the words of their language, and the written ones where it is missing', async () => {
  await world.db.query(sql`update outlay set translations = '{"hi": "स्कूल के जूते"}' where id = ${shoes.id}::uuid`)
  const purposes = async (path: string, language: string) => {
    const { body } = await world.ask(path, { as: ravi, headers: { 'accept-language': language } })
    const { help: parts } = body.rupee ?? body.results.find(({ date }: { date: string }) => date === '2026-11-21').rupee
    return parts.map(({ purpose, language: written }: { purpose: string; language: string }) => [purpose, written])
  }
  for (const path of ['GET /user/rupees/2026-11-21', 'GET /rounds/history']) {
    expect(await purposes(path, 'hi')).toEqual([
      ['स्कूल के जूते', 'hi'],
      ['rice', 'en'],
    ])
    expect(await purposes(path, 'en')).toEqual([
      ['school shoes', 'en'],
      ['rice', 'en'],
    ])
  }
  // The public answer has the words as they were written, and all translations.
  const { day } = (await world.ask('GET /public/days/2026-11-21', { headers: { 'accept-language': 'hi' } })).body
  expect(day.receipts).toMatchObject([
    { purpose: 'school shoes', language: 'en', translations: { hi: 'स्कूल के जूते' } },
    { purpose: 'rice', language: 'en', translations: {} },
  ])
})

test('a day that the member did not join shows nothing', async () => {
  expect((await trails(asha))['2026-11-22']).toBeNull()
  for (const day of ['2026-11-22', '2026-13-01', 'today'])
    expect((await world.ask(`GET /user/rupees/${day}`, { as: asha })).status).toBe(404)
  expect((await world.ask('GET /user/rupees/2026-11-21')).status).toBe(401)
  const other = await world.member(5)
  expect(Object.values(await trails(other)).filter((rupee) => rupee !== null)).toEqual([])
})

test('a published story adds its link and the newest words of the person, and taking it back removes them', async () => {
  const video = 'https://youtu.be/dQw4w9WgXcQ'
  const id = await insertStory(world.db, { outlayId: shoes.id, video })
  const linked = async () => {
    const { help: parts } = (await trails(asha))['2026-11-21'] as { help: { storyId: string | null; videoUrl: string | null }[] }
    return [parts[0]?.storyId, parts[0]?.videoUrl]
  }
  expect(await linked()).toEqual([null, null])
  await world.db.query(sql`update story set is_active = true, published_at = roz_now() where id = ${id}::uuid`)
  expect(await linked()).toEqual([id, video])
  const voice = async () => ((await trails(asha))['2026-11-21'] as { help: { voice: unknown }[] }).help[0]?.voice
  const says = (weeks: number, words: string) =>
    world.db.query(sql`
      insert into follow_up (id, outlay_id, weeks, written_in, words, recorded_by)
      values (gen_random_uuid(), ${shoes.id}::uuid, ${weeks}::int, 'hi', ${words}::text, ${finance}::bigint)`)
  await says(2, 'जूते ठीक हैं।')
  expect(await voice()).toEqual({ weeks: 2, words: 'जूते ठीक हैं।', isWhole: true, language: 'hi' })
  await says(4, `${'मशीन '.repeat(30)}`)
  expect(await voice()).toEqual({ weeks: 4, words: 'मशीन '.repeat(28).trim(), isWhole: false, language: 'hi' })
  await world.db.query(sql`update follow_up set withheld = 'It names the street' where outlay_id = ${shoes.id}::uuid and weeks = 4`)
  expect(await voice()).toMatchObject({ weeks: 2 })
  await world.db.query(sql`delete from follow_up where outlay_id = ${shoes.id}::uuid`)
  await world.db.query(sql`update story set is_active = false where id = ${id}::uuid`)
  expect(await linked()).toEqual([null, null])
})

test('after a correction the share waits again, and the trail says what came back and why', async () => {
  const hash = await takeBack(world.db, shoes, 100, finance)
  expect((await trails(asha))['2026-11-21']).toMatchObject({
    waiting: 1,
    help: [{ purpose: 'rice', amount: 0.2 }],
    back: [{ amount: 1, purpose: 'it went back to the shop', on: '2026-11-24', receipts: [hash.toString('hex')] }],
  })
})

test('after a revoked consent nobody is named and no bill is shown', async () => {
  const books = await help(100, 'school books', 'Sita')
  await revokeConsent(world.db, books.beneficiaryId)
  const { help: parts } = (await trails(asha))['2026-11-21'] as { help: unknown[] }
  expect(parts).toContainEqual(expect.objectContaining({ purpose: 'school books', name: null, receipts: [], storyId: null }))
})
