/** Notices in the app. */
import type { IstDay } from '@roz/core/ist-day.ts'
import { addDays, startOfDayMs } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { isNoticeKind, NOTICES, type NoticeKind, noticeText } from '@roz/core/notices.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { enqueue } from '../../jobs/queue.ts'
import { runAutoJoin } from '../../ledger/auto-join.ts'
import { addMoney, makeDay } from '../../ledger/testing/fixtures.ts'
import { createJoinBatcher } from '../../ledger/join-batcher.ts'
import { setAutoJoin, setMayMove } from '../../ledger/wallets.ts'
import { tellMember, tellMembers } from '../../members/notices.ts'
import { allNotices } from '../../testing/notices.ts'
import { type Person, usePeople } from '../../testing/people.ts'

const FIRST = '2026-11-21' as IstDay
const roz = usePeople()
beforeAll(async () => {
  await roz.database.setClock(new Date(startOfDayMs(FIRST) + 1000))
})

const tell = (memberId: bigint, kind: NoticeKind, data: Record<string, string>, key: string) =>
  inTransaction(roz.db, (tx) => tellMember(tx, { memberId, kind, key, data }))
const list = async (person: Person, query = '', language = 'en') =>
  (await roz.ask(`GET /notifications${query}`, { token: person.token, language })).body
const read = async (person: Person, body?: unknown) =>
  (await roz.ask('POST /notifications/read', { token: person.token, body: body ?? {} })).body

describe('a member’s notices', () => {
  test('are none at first', async () => {
    expect(await list(await roz.register('fresh@x.test'))).toEqual({ notifications: [], unread: 0, nextCursor: null })
  })

  test('have the language of the reader, newest first, and are told once however often their fact is', async () => {
    const asha = await roz.register('asha@x.test')
    const id = await roz.memberId(asha)
    await tell(id, 'topup_credited', { amount: '₹10.00', balance: '₹10.00' }, 'topup:1')
    await roz.pass(1)
    await tell(id, 'won', { amount: '₹4.50', day: '2026-11-20' }, 'won:1')
    await tell(id, 'won', { amount: '₹4.50', day: '2026-11-20' }, 'won:1')
    const english = await list(asha)
    expect(english.unread).toBe(2)
    expect(english.notifications.map(({ kind, title, body, readAt }: Record<string, unknown>) => [kind, title, body, readAt])).toEqual([
      ['won', 'You won!', 'You won ₹4.50 in the round of 20 November 2026. It is in your wallet.', null],
      ['topup_credited', 'Money added', '₹10.00 was added to your wallet.', null],
    ])
    const hindi = await list(asha, '', 'hi')
    expect(hindi.notifications[0].title).toBe('आपकी जीत हुई!')
    expect(hindi.notifications[0].body).toBe('20 नवंबर 2026 के राउंड में आपने ₹4.50 जीते। पैसे आपके वॉलेट में हैं।')
  })

  test('are told to many at once, each member once, and to nobody who has closed the account', async () => {
    const [ravi, meera, gone] = [await roz.register('ravi@x.test'), await roz.register('meera@x.test'), await roz.register('gone@x.test')]
    const ids = await Promise.all([ravi, meera, gone].map((person) => roz.memberId(person)))
    await roz.db.query(sql`update member set deleted_at = roz_now() where id = ${ids[2] ?? 0n}::bigint`)
    const source = sql`select id as member_id, '2026-11-20' as key, jsonb_build_object('day', '2026-11-20') as data from unnest(${ids}::bigint[]) id`
    for (let time = 0; time < 2; time++) await inTransaction(roz.db, (tx) => tellMembers(tx, 'auto_join_skipped', source))
    await tell(ids[2] ?? 0n, 'won', { amount: '₹4.50', day: '2026-11-20' }, 'won:gone')
    expect((await list(ravi)).notifications).toMatchObject([{ title: 'You missed the round of 20 November 2026' }])
    expect((await allNotices(roz.db)).filter(({ memberId }) => ids.includes(memberId)).map(({ memberId }) => memberId)).toEqual(
      ids.slice(0, 2),
    )
  })

  test('of a server of release 1.0.0, which left their writing to a job, are written by this one, once', async () => {
    const late = await roz.register('late@x.test')
    const id = await roz.memberId(late)
    const data = { amount: '₹4.50', day: '2026-11-20' }
    await inTransaction(roz.db, (tx) =>
      enqueue(tx, { kind: 'notice', key: 'won:late', payload: { memberId: String(id), kind: 'won', data } }),
    )
    await roz.runJobs()
    await tell(id, 'won', data, 'won:late')
    expect((await list(late)).notifications).toMatchObject([{ title: 'You won!' }])
  })

  test('page without a gap or a repeat, even if many have one time', async () => {
    const pages = await roz.register('pages@x.test')
    const id = await roz.memberId(pages)
    await roz.db.query(sql`
      insert into notice (member_id, kind, source, data, created_at)
      select ${id}::bigint, 'won', 'n' || n, '{}', roz_now() - make_interval(secs => n / 5) from generate_series(1, 23) n`)
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { notifications: { id: string }[]; nextCursor: string | null } = await list(
        pages,
        `?limit=4${cursor === '' ? '' : `&cursor=${cursor}`}`,
      )
      expect(page.notifications.length).toBeLessThanOrEqual(4)
      seen.push(...page.notifications.map((notice) => notice.id))
      cursor = page.nextCursor
    }
    expect([seen.length, new Set(seen).size]).toEqual([23, 23])
  })

  test.each(['?cursor=x', '?limit=0', '?limit=101', '?limit=x', `?cursor=${Buffer.from('["1","n0"]').toString('base64url')}`])(
    'are refused for a bad page: %s',
    async (query) => {
      const { token } = await roz.register(`bad${query.length}${query.charCodeAt(7)}${query.at(-1)}@x.test`)
      expect((await roz.ask(`GET /notifications${query}`, { token })).status).toBe(400)
    },
  )

  test('are marked read by id or all at once, but not another member’s', async () => {
    const mine = await roz.register('mine@x.test')
    const other = await roz.register('other@x.test')
    await tell(await roz.memberId(mine), 'low_balance', { balance: '₹3.00' }, 'low:1')
    await tell(await roz.memberId(mine), 'withdrawal_returned', { amount: '₹10.00' }, 'back:1')
    const [first] = (await list(mine)).notifications
    expect(await read(other, { ids: [first.id] })).toEqual({ unread: 0 })
    expect(await read(mine, { ids: ['n999999', 'nonsense', 'j2026-02-31', 'n99999999999999999999', ''] })).toEqual({ unread: 2 })
    expect(await read(mine, { ids: [first.id] })).toEqual({ unread: 1 })
    const at = (await list(mine)).notifications[0].readAt
    expect(at).toMatch(/\+05:30$/)
    expect(await read(mine)).toEqual({ unread: 0 })
    expect((await list(mine)).notifications[0].readAt).toBe(at)
    expect((await roz.ask('POST /notifications/read', { token: mine.token, body: { ids: 'all' } })).status).toBe(400)
    expect((await roz.ask('POST /notifications/read', { token: mine.token })).status).toBe(200)
  })

  test('are refused without a token', async () => {
    expect((await roz.ask('GET /notifications')).status).toBe(401)
    expect((await roz.ask('POST /notifications/read')).status).toBe(401)
  })
})

describe('joins by Auto Participate', () => {
  test('are listed with their day, counted and marked read, without a stored notice', async () => {
    const auto = await roz.register('auto@x.test')
    const id = await roz.memberId(auto)
    await inTransaction(roz.db, async (tx) => {
      await setMayMove(tx, id, true)
      await setAutoJoin(tx, id, true)
    })
    await addMoney(roz.db, id, wholeRupees(30))
    const days = [FIRST, addDays(FIRST, 1), addDays(FIRST, 2)]
    for (const day of days) {
      await makeDay(roz.db, day)
      await roz.database.setClock(new Date(startOfDayMs(day) + 5000))
      expect((await runAutoJoin(roz.db, day)).joined).toBe(1)
    }
    expect(await roz.db.query(sql`select 1 from notice where member_id = ${id}::bigint`)).toEqual([])
    await roz.pass(60)
    await tell(id, 'low_balance', { balance: '₹3.00' }, 'low:auto')
    const all = await list(auto)
    expect(all.unread).toBe(4)
    expect(all.notifications.map((notice: { id: string }) => notice.id)).toEqual([
      expect.stringMatching(/^n\d+$/),
      'j2026-11-23',
      'j2026-11-22',
      'j2026-11-21',
    ])
    expect(all.notifications[1]).toMatchObject({
      kind: 'auto_joined',
      title: "You're in",
      body: 'Auto Participate joined you to the round of 23 November 2026 for ₹1.',
      readAt: null,
    })
    const firstPage = await list(auto, '?limit=2')
    const secondPage = await list(auto, `?limit=2&cursor=${firstPage.nextCursor}`)
    expect([...firstPage.notifications, ...secondPage.notifications]).toEqual(all.notifications)
    expect(secondPage.nextCursor).toBeNull()

    expect(await read(auto, { ids: ['j2026-11-22', 'j2026-12-01'] })).toEqual({ unread: 3 })
    const marks = (await list(auto)).notifications.map((notice: { readAt: string | null }) => notice.readAt !== null)
    expect(marks).toEqual([false, false, true, false])
    await Promise.all([read(auto), read(auto)])
    expect((await list(auto)).unread).toBe(0)
  })

  test('appear only for members with Auto Participate, not for joins by hand', async () => {
    const hand = await roz.register('hand@x.test')
    const id = await roz.memberId(hand)
    await inTransaction(roz.db, (tx) => setMayMove(tx, id, true))
    await addMoney(roz.db, id, wholeRupees(10))
    expect((await createJoinBatcher({ db: roz.db }).join({ memberId: id })).ok).toBe(true)
    expect((await list(hand)).notifications).toEqual([])
  })
})

test('help from several days is told in paise below a rupee, and in rupees from then on', () => {
  const told = (paise: string, language: 'en' | 'hi') =>
    noticeText('help_told_days', { paise, days: '2', purpose: 'school shoes', helped: 'Meera' }, language).body
  expect(told('99', 'en')).toBe('99 paise of your rupees, from 2 days, paid for: school shoes for Meera.')
  expect(told('114', 'en')).toBe('₹1.14 of your rupees, from 2 days, paid for: school shoes for Meera.')
  expect(told('114', 'hi')).toBe('2 दिनों के आपके रुपयों में से ₹1.14 यहाँ खर्च हुए: Meera के लिए school shoes।')
})

test('every kind has words in both languages, with every placeholder filled', () => {
  const data = { day: '2026-11-21', amount: '₹1.00', balance: '₹3.00', account: '1234', year: '2026', reason: 'Not yours', paid: '₹0.50' }
  for (const kind of Object.keys(NOTICES).filter(isNoticeKind)) {
    for (const language of ['en', 'hi'] as const) {
      const { title, body } = noticeText(kind, data, language)
      expect(title).not.toBe('')
      expect(body).not.toMatch(/[{}]|undefined|2026-11-21/)
      if (language === 'hi') expect(title + body).toMatch(/[\u0900-\u097f]/)
    }
  }
})
