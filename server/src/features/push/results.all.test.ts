/** Results on devices after a round is settled: once, readable only by its browser, in the member's language. */
import { resultNews } from '@roz/core/result-news.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { connect, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { enqueue } from '../../jobs/queue.ts'
import { createPushKeys } from './keys.ts'
import { testSecrets } from '../../testing/calls.ts'
import { usePushWorld, type Owner } from '../../testing/push-world.ts'
import type { TestBrowser } from '../../testing/push-service.ts'
import { cutIntoPages, tellPage } from './results.ts'

const world = usePushWorld()
afterAll(async () => {
  expect(world.service.problems).toEqual([])
})

const inRound = async (language = 'en'): Promise<{ owner: Owner; browser: TestBrowser }> => {
  const owner = await world.member(language)
  await world.join(owner)
  return { owner, browser: await world.subscribe(owner) }
}
const texts = (browser: TestBrowser) => browser.arrived.map(({ text }) => JSON.parse(text))
/** As after a month, when the jobs have been deleted. */
const tellAgain = async (day: string): Promise<void> => {
  await world.db.query(sql`delete from job where kind in ('push_round', 'push_page')`)
  await inTransaction(world.db, (tx) => enqueue(tx, { kind: 'push_round', key: day, payload: { day } }))
  await world.runAll()
}

describe('the result', () => {
  test('reaches each subscribed device of a member in the round, in the member’s language, and no other device', async () => {
    const day = world.today()
    const people = [await inRound('en'), await inRound('hi'), await inRound('hi')]
    const silent = await world.member()
    await world.join(silent)
    const outside = await world.subscribe(await world.member())
    await world.nextDay()
    const { winner, amount } = await world.db.one<{ winner: bigint; amount: string }>(
      sql`select member_id as winner, '₹' || to_char(amount / 100.0, 'FM0.00') as amount from draw_winner where day = ${day}::date`,
    )
    for (const [index, { owner, browser }] of people.entries()) {
      const won = winner === owner.id ? amount : undefined
      expect(texts(browser)).toEqual([resultNews({ day, won, hasWinners: true }, index === 0 ? 'en' : 'hi')])
      if (won === undefined) expect(browser.arrived[0]?.text).not.toContain('₹')
      expect(browser.arrived[0]).toMatchObject({ topic: `result-${day}` })
      expect(browser.arrived[0]?.ttl).toBeGreaterThan(6 * 3600)
      expect(browser.arrived[0]?.ttl).toBeLessThanOrEqual(20 * 3600)
    }
    // The push service cannot tell the winner by the message's length.
    expect(new Set(people.map(({ browser }) => browser.arrived[0]?.bytes)).size).toBe(1)
    expect(outside.asked).toBe(0)
  })

  test('reaches a device once, however often its job is run, at one moment or a month later', async () => {
    const day = world.today()
    const { browser } = await inRound()
    await world.nextDay()
    await tellAgain(day)
    await Promise.all([tellAgain(day), tellAgain(day)])
    expect(browser.asked).toBe(1)
  })

  test('reaches a browser once, even if its next owner takes it over or it subscribes again', async () => {
    const day = world.today()
    const [first, second] = [await inRound(), await inRound()]
    await world.nextDay()
    await world.subscribe(await world.member(), first.browser)
    await world.subscribe({ token: await world.signIn(second.owner.id) }, second.browser)
    await world.subscribe(second.owner, second.browser)
    await tellAgain(day)
    expect([first.browser.asked, second.browser.asked]).toEqual([1, 1])
  })

  test('reaches a browser that subscribes again after the pages were cut', async () => {
    const { owner, browser } = await inRound()
    // Moves the sequence past the device's page: a new row would be outside of it.
    const [before] = await world.devicesOf(owner.id)
    const database = connect({ url: world.database.ownerUrl, max: 1 })
    await database.query(sql`select count(nextval('push_device_id_seq')) from generate_series(1, 100)`)
    await database.close()
    browser.answers.push({ status: 503, headers: { 'retry-after': '60' } })
    await world.nextDay()
    expect([browser.asked, browser.arrived.length]).toEqual([1, 0])
    await world.subscribe(owner, browser)
    await world.subscribe({ token: await world.signIn(owner.id) }, browser)
    expect(await world.devicesOf(owner.id)).toMatchObject([{ id: before?.id }])
    await world.pass(70)
    expect(browser.arrived).toHaveLength(1)
  })

  test('is sent of the newest round only, for eighteen hours', async () => {
    const day = world.today()
    const { browser } = await inRound()
    browser.answers.push({ status: 503, headers: { 'retry-after': '64800' } })
    await world.nextDay()
    expect(browser.asked).toBe(1)
    await world.pass(18 * 3600)
    await tellAgain(day)
    expect([browser.asked, browser.arrived.length]).toEqual([1, 0])
    expect(await world.db.query(sql`select 1 from job where kind like 'push%' and done_at is null`)).toEqual([])
    await world.nextDay()
  })

  test('is signed with the key that its browser subscribed with', async () => {
    const older = await inRound()
    const { publicKey } = (await world.ask('GET /notifications/push', { token: older.owner.token })).body
    await createPushKeys({ secrets: testSecrets }).rotate(world.db)
    const newer = await inRound()
    await world.nextDay()
    expect(older.browser.arrived[0]?.signer).toBe(publicKey)
    expect(newer.browser.arrived[0]?.signer).not.toBe(publicKey)
    expect([older.browser.arrived.length, newer.browser.arrived.length]).toEqual([1, 1])
  })

  test('for many devices is sent in pages, each its own job', async () => {
    const day = world.today()
    const people: Awaited<ReturnType<typeof inRound>>[] = []
    const owner = connect({ url: world.database.ownerUrl, max: 1 })
    for (let n = 0; n < 4; n++) {
      people.push(await inRound())
      await owner.query(sql`select count(nextval('push_device_id_seq')) from generate_series(1, 100)`)
    }
    await owner.close()
    await world.nextDay()
    const pages = await world.db.query(
      sql`select 1 from job where kind = 'push_page' and key like ${`${day}:%`}::text and done_at is not null`,
    )
    expect(pages.length).toBeGreaterThanOrEqual(4)
    expect(people.map(({ browser }) => browser.arrived.length)).toEqual([1, 1, 1, 1])
  })

  test('is encrypted for its browser: the log contains nothing of it', () => {
    expect(world.logLines.join('')).not.toMatch(/wpush|p256dh|The result is in/)
  })
})

describe('a push service', () => {
  test.each([404, 410])('that answers %s does not know the device any more: the device is removed', async (status) => {
    const { owner, browser } = await inRound()
    browser.answers.push({ status })
    await world.nextDay()
    expect(await world.devicesOf(owner.id)).toEqual([])
    expect((await world.ask('GET /notifications/push', { token: owner.token })).body).toMatchObject({ subscribed: false, wanted: true })
  })

  test('that is overloaded is asked again, but not before its Retry-After', async () => {
    const { browser } = await inRound()
    const other = await inRound()
    browser.answers.push({ status: 429, headers: { 'retry-after': '600' } })
    await world.nextDay()
    expect([browser.asked, other.browser.arrived.length]).toEqual([1, 1])
    await world.pass(590)
    expect(browser.asked).toBe(1)
    await world.pass(20)
    expect([browser.arrived.length, other.browser.asked]).toEqual([1, 1])
  })

  test('that asks for an hour’s delay does not block other devices', async () => {
    const [slow, quick] = [await inRound(), await inRound()]
    slow.browser.answers.push(...Array.from({ length: 9 }, () => ({ status: 503, headers: { 'retry-after': '3600' } })))
    quick.browser.answers.push({ status: 503, headers: { 'retry-after': '60' } })
    await world.nextDay()
    expect([slow.browser.asked, quick.browser.asked]).toEqual([1, 1])
    await world.pass(70)
    expect([slow.browser.arrived.length, quick.browser.arrived.length]).toEqual([0, 1])
    slow.browser.answers.length = 0
    await world.pass(3600)
    expect([slow.browser.arrived.length, quick.browser.arrived.length]).toEqual([1, 1])
  })

  test('may name a date in Retry-After', async () => {
    const { browser } = await inRound()
    const date = 'Sat, 21 Nov 2026 10:00:00 GMT'
    browser.answers.push({ status: 503, headers: { date, 'retry-after': 'Sat, 21 Nov 2026 10:20:00 GMT' } })
    await world.nextDay()
    await world.pass(1190)
    expect(browser.asked).toBe(1)
    await world.pass(20)
    expect(browser.arrived).toHaveLength(1)
  })

  test('that fails is asked again, ever more rarely', async () => {
    const { browser } = await inRound()
    browser.answers.push({ status: 500 }, { status: 502 })
    await world.nextDay()
    for (let n = 0; n < 4; n++) await world.pass(60)
    expect([browser.asked, browser.arrived.length]).toEqual([3, 1])
  })

  test('that does not answer is abandoned after a timeout, and asked again', async () => {
    const { browser } = await inRound()
    browser.answers.push('hang')
    await world.nextDay()
    const later = async (): Promise<number> => {
      await world.pass(60)
      return browser.arrived.length
    }
    await expect.poll(later, { timeout: 40_000, interval: 500 }).toBe(1)
    expect(browser.asked).toBe(2)
  })

  test('that redirects is not followed', async () => {
    const { browser } = await inRound()
    const elsewhere = await inRound()
    browser.answers.push({ status: 307, headers: { location: elsewhere.browser.subscription.endpoint } })
    await world.nextDay()
    expect([browser.asked, elsewhere.browser.asked]).toEqual([1, 1])
    expect(world.logLines.join('')).toContain('"status":307')
  })

  test('that refuses a message is not asked again for it, and the device stays', async () => {
    const { owner, browser } = await inRound()
    browser.answers.push({ status: 403 })
    await world.nextDay()
    await world.pass(3600)
    expect([browser.asked, (await world.devicesOf(owner.id)).length]).toEqual([1, 1])
  })

  test('is paused after several failed calls in a row', async () => {
    const people: Awaited<ReturnType<typeof inRound>>[] = []
    for (let n = 0; n < 24; n++) people.push(await inRound())
    for (const { browser } of people) browser.answers.push({ status: 503, headers: { 'retry-after': '2' } })
    await world.nextDay()
    const askedFirst = people.reduce((sum, { browser }) => sum + browser.asked, 0)
    expect(askedFirst).toBeLessThan(24)
    for (const { browser } of people) browser.answers.length = 0
    // The pause is measured in real time.
    await expect
      .poll(
        async () => {
          await world.pass(60)
          return people.filter(({ browser }) => browser.arrived.length === 1).length
        },
        { timeout: 30_000, interval: 500 },
      )
      .toBe(24)
  })
})

test('a device whose address cannot be decrypted does not block the others', async () => {
  const [broken, whole] = [await inRound(), await inRound()]
  await world.db.query(sql`update push_device set sealed = '\\x00' where member_id = ${broken.owner.id}::bigint`)
  await world.nextDay()
  expect([broken.browser.asked, whole.browser.arrived.length]).toEqual([0, 1])
  expect(await world.devicesOf(broken.owner.id)).toMatchObject([{ toldDay: null }])
})

test('the result of a day that is not settled is not sent', async () => {
  const { browser } = await inRound()
  const deps = {
    db: world.db,
    keys: createPushKeys({ secrets: testSecrets }),
    push: world.push,
    secrets: testSecrets,
    warn: () => undefined,
  }
  await cutIntoPages(world.db, { day: world.today() })
  await tellPage(deps, { day: world.today(), from: '0', to: '100000' })
  expect(browser.asked).toBe(0)
})

test('the text of a result names no other member and no amount, in either language', () => {
  for (const hasWinners of [true, false])
    for (const language of ['en', 'hi'] as const) {
      const { title, body, lang } = resultNews({ day: world.today(), won: undefined, hasWinners }, language)
      expect(title + body).not.toMatch(/[{}₹]/)
      expect(lang).toBe(language)
      if (language === 'hi') expect(title + body).not.toMatch(/\p{Script=Latin}/u)
    }
})
