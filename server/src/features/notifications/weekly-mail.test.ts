/** The weekly mail of Auto Participate. */
import { addDays, type IstDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { createAttempt, listParked, runAgain } from '../../jobs/parking.ts'
import { runAutoJoin } from '../../ledger/auto-join.ts'
import { addMoney, endDay, makeDay, payOut } from '../../ledger/testing/fixtures.ts'
import { setAutoJoin, setMayMove } from '../../ledger/wallets.ts'
import { makeStaff } from '../../testing/calls.ts'
import { breakRows } from '../../testing/database.ts'
import { confirmArrival, payHelp } from '../../testing/help.ts'
import { usePeople } from '../../testing/people.ts'
import { createWeeklyMail, weekToTell } from './weekly-mail.ts'

const MONDAY = '2026-11-16' as IstDay
const HOUR_MS = 3_600_000
const roz = usePeople()
beforeAll(async () => {
  await roz.database.setClock(new Date(startOfDayMs(MONDAY) + HOUR_MS))
})

async function autoMember(email: string, rupees: number, language = 'en'): Promise<bigint> {
  const id = await roz.memberId(await roz.register(email, { language }))
  await roz.db.query(sql`update member set email_verified_at = roz_now() where id = ${id}::bigint`)
  await inTransaction(roz.db, async (tx) => {
    await setMayMove(tx, id, true)
    await setAutoJoin(tx, id, true)
  })
  if (rupees > 0) await addMoney(roz.db, id, wholeRupees(rupees))
  return id
}
/** The rupee of one member of a day is drawn, and helps. Of its two payments both are confirmed, and one is then said not to have arrived. */
async function helpArrives(day: IstDay, winner: bigint): Promise<void> {
  await endDay(roz.database, day)
  await payOut(roz.db, day, [winner])
  const payer = await makeStaff(roz.db, 'finance')
  const owner = await makeStaff(roz.db, 'owner')
  const pay = async (amount: number): Promise<string> => {
    const paid = await payHelp(roz.db, { amount, askedBy: payer, decidedBy: payer })
    await confirmArrival(roz.db, paid, owner)
    return paid.id
  }
  await pay(30)
  const lost = await pay(20)
  await roz.db.query(sql`
    insert into arrival (outlay_id, received, how, heard_on, recorded_by) values (${lost}::uuid, false, 'call', ist_day(roz_now()), ${owner}::bigint)`)
}
const weekly = async (email: string) => (await roz.mailsTo(email)).filter((mail) => /week|हफ़्ता/.test(mail.subject))

describe('the weekly mail', () => {
  test('is sent once, on Monday from 9:00, with the rounds of the seven days before', async () => {
    const asha = await autoMember('asha@x.test', 30)
    await autoMember('ravi@x.test', 2, 'hi')
    await autoMember('poor@x.test', 0)
    for (let n = 0; n < 7; n++) {
      const day = addDays(MONDAY, n)
      await makeDay(roz.db, day)
      await roz.database.setClock(new Date(startOfDayMs(day) + 5000))
      await runAutoJoin(roz.db, day)
      // By then Ravi's money is used up: only Asha is in the day that pays.
      if (n === 6) await helpArrives(addDays(day, -1), asha)
      expect(await weekly('asha@x.test')).toEqual([])
    }
    const next = addDays(MONDAY, 7)
    await roz.database.setClock(new Date(startOfDayMs(next) + 9 * HOUR_MS - 60_000))
    expect(await weekly('asha@x.test')).toEqual([])
    await roz.pass(120)
    await Promise.all([roz.runJobs(), roz.runJobs()])
    const [mail] = await weekly('asha@x.test')
    expect(mail?.subject).toBe('Your week with Roz: 7 rounds')
    expect(mail?.text).toContain('joined you to 7 rounds from 16 November 2026 to 22 November 2026, for ₹1 each.')
    expect(mail?.text).toContain('1 payment of help with your rupees was confirmed as received.')
    expect(mail?.links).toEqual([`${roz.url}/history`, expect.stringContaining(`${roz.url}/api/unsubscribe?token=`)])
    expect((await weekly('ravi@x.test')).map(({ subject }) => subject)).toEqual(['Roz के साथ आपका हफ़्ता: 2 राउंड'])
    expect((await weekly('ravi@x.test'))[0]?.text).not.toContain('पुष्टि')
    expect(await weekly('poor@x.test')).toEqual([])
    await roz.pass(3 * 86_400)
    expect(await weekly('asha@x.test')).toHaveLength(1)
  })

  test('continues after an interrupted run, and is sent to nobody twice', async () => {
    await roz.db.query(sql`update weekly_mail set done_at = null, last_member = 0 where week = ${MONDAY}::date`)
    const again = await startAgain()
    expect(again).toBe(true)
    expect(await weekly('asha@x.test')).toHaveLength(1)
  })

  test('is sent to all others if it fails for one member, who gets it once the row is mended', async () => {
    await roz.db.query(sql`update weekly_mail set done_at = null, last_member = 0 where week = ${MONDAY}::date`)
    await roz.db.query(sql`delete from job where kind = 'mass_mail'`)
    const [asha, ravi] = await roz.db.query<{ id: bigint }>(
      sql`select id from member where email in ('asha@x.test', 'ravi@x.test') order by id`,
    )
    const mend = await breakRows(roz.database, 'job', `new.kind = 'mass_mail' and new.key like 'weekly_joins:${asha?.id}:%'`)
    for (let minute = 0; minute < 6; minute++) {
      await startAgain()
      await roz.pass(60)
    }
    const ordered = async () =>
      (await roz.db.query<{ key: string }>(sql`select key from job where kind = 'mass_mail'`)).map(({ key }) => key)
    expect(await ordered()).toEqual([`weekly_joins:${ravi?.id}:${MONDAY}`])
    const item = `${MONDAY} member ${asha?.id}`
    expect(await listParked(roz.db)).toMatchObject([{ work: 'weekly_mail', item }])
    await mend()
    await runAgain(roz.db, 'weekly_mail', item)
    await startAgain()
    expect(await ordered()).toContain(`weekly_joins:${asha?.id}:${MONDAY}`)
    expect(await listParked(roz.db)).toEqual([])
  })

  test('covers only the newest week after a long pause', async () => {
    await roz.pass(60 * 86_400)
    await roz.runJobs()
    expect(await weekly('asha@x.test')).toHaveLength(2)
    expect(await roz.db.query(sql`select 1 from weekly_mail where week > ${MONDAY}::date`)).toHaveLength(1)
  })

  test.each([
    ['2026-11-23T08:59:59+05:30', '2026-11-09'],
    ['2026-11-23T09:00:00+05:30', '2026-11-16'],
    ['2026-11-29T23:59:59+05:30', '2026-11-16'],
    ['2026-11-30T09:00:00+05:30', '2026-11-23'],
    ['2027-01-01T12:00:00+05:30', '2026-12-21'],
  ])('at %s covers the week from %s', (now, week) => {
    expect(weekToTell(Date.parse(now))).toBe(week)
  })
})

/** As a process that has just started: its memory of finished weeks is empty. */
async function startAgain(): Promise<boolean> {
  const [row] = await roz.db.query<{ at: Date }>(sql`select roz_now() as at`)
  const due = createWeeklyMail(roz.db, createAttempt({ db: roz.db, log: { warn: () => undefined, error: () => undefined } }))
  let worked = false
  while (await due(row?.at ?? new Date())) worked = true
  return worked
}

describe('the link that ends the weekly mail', () => {
  const wants = async (email: string): Promise<boolean> =>
    (await roz.db.one<{ wants: boolean }>(sql`select wants_mail as wants from member where email = ${email}::text`)).wants
  const linkOf = async (email: string): Promise<string> => (await weekly(email))[0]?.links.at(-1) ?? ''

  test('changes nothing when it is opened: its page asks first, in the member’s language', async () => {
    const page = await fetch(await linkOf('ravi@x.test'))
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain('<button>ये ईमेल बंद करें</button>')
    expect(await wants('ravi@x.test')).toBe(true)
  })

  test('ends it by one POST without login, of either form type, and the same again', async () => {
    const link = await linkOf('asha@x.test')
    const multipart = new FormData()
    multipart.set('List-Unsubscribe', 'One-Click')
    for (const body of [new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }), multipart]) {
      const ended = await fetch(link, { method: 'POST', body })
      expect([ended.status, (await ended.text()).includes('These emails are stopped')]).toEqual([200, true])
    }
    expect([await wants('asha@x.test'), await wants('ravi@x.test')]).toEqual([false, true])
  })

  test('names one member: a changed one, another one’s signature and none at all end nothing', async () => {
    const link = new URL(await linkOf('ravi@x.test'))
    const [publicId = '', signature = ''] = (link.searchParams.get('token') ?? '').split('.')
    const [other = ''] = (new URL(await linkOf('asha@x.test')).searchParams.get('token') ?? '').split('.')
    for (const token of [`${other}.${signature}`, `${publicId}.`, publicId, `${publicId}.${signature.slice(1)}`, '']) {
      link.searchParams.set('token', token)
      expect((await fetch(link, { method: 'POST' })).status).toBe(404)
    }
    expect(await wants('ravi@x.test')).toBe(true)
  })
})
