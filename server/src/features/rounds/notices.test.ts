/** The words to winners, and to the members of a void round, whose money paid a debt first. */
import { TEST_FRAME } from '../../testing/modes.ts'
import { nextDay } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { type NoticeKind, noticeText } from '@roz/core/notices.ts'
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { listWinners } from '../../ledger/draw.ts'
import {
  addMoney,
  chargeBack,
  DAY,
  endDay,
  giveAccounts,
  giveRoundBack,
  newMember,
  openDay,
  payOut,
} from '../../ledger/testing/fixtures.ts'
import { createJoinBatcher } from '../../ledger/join-batcher.ts'
import { useTestDatabase } from '../../testing/database.ts'
import { allNotices } from '../../testing/notices.ts'
import type { MailPayload } from '../../mail/mail-payload.ts'
import { mailWords } from '../../mail/mail-texts.ts'
import { tellReturned, tellWinners } from './notices.ts'

const database = useTestDatabase()
let owing: bigint
let free: bigint
beforeAll(async () => {
  await openDay(database, DAY)
  owing = await newMember(database.db)
  free = await newMember(database.db, { rupees: 10 })
  await giveAccounts(database.db, [owing, free])
})

const join = () => Promise.all([owing, free].map((memberId) => createJoinBatcher({ db: database.db }).join({ memberId })))
/** The notices and mails of these kinds, as sentences, by member and then the notice first. */
async function told(notice: NoticeKind, template: string): Promise<string[]> {
  const notices = (await allNotices(database.db)).filter(({ kind }) => kind === notice)
  const mails = await database.db.query<{ payload: MailPayload }>(sql`
    select payload from job where payload ->> 'template' = ${template}::text order by key`)
  return [
    ...notices.map(({ kind, data }) => noticeText(kind, data, 'en').body),
    ...mails.map(({ payload }) => mailWords(payload, TEST_FRAME).paragraphs.slice(1).join(' ')),
  ]
}

test('a prize that paid a debt says so, in the app and by mail', async () => {
  const orderId = await addMoney(database.db, owing, wholeRupees(10))
  await join()
  await chargeBack(database.db, `of-${orderId}`, orderId, wholeRupees(10))
  await endDay(database, DAY)
  await payOut(database.db, DAY, [owing])
  await inTransaction(database.db, async (tx) => tellWinners(tx, DAY, await listWinners(tx, DAY)))
  expect(await told('won', 'draw_won')).toEqual([
    'You won ₹0.60 in the round of 21 November 2026. It is in your wallet. ₹0.60 of it paid what you owed.',
    'You won ₹0.60 in the round of 21 November 2026. It is already in your wallet. ₹0.60 of it paid what you owed.',
  ])
})

test('a prize from which tax was withheld says where to give the PAN, in the app and by mail', () => {
  const data = { name: 'Asha', origin: 'https://roz.example', amount: '₹0.70', day: DAY, tax: '₹0.30' }
  const asks =
    'Tax of ₹0.30 was withheld from the reward. If you have not given your PAN yet, give it in History, under “Your year on one page”.'
  expect(noticeText('won', data, 'en').body).toContain(asks)
  expect(mailWords({ to: 'asha@example.in', template: 'draw_won', data, language: 'en' }, TEST_FRAME).paragraphs).toContain(asks)
})

test('a returned rupee that paid a debt says so, and the others say nothing of a debt', async () => {
  const day = nextDay(DAY)
  await openDay(database, day)
  await addMoney(database.db, owing, wholeRupees(10))
  await join()
  await endDay(database, day)
  await inTransaction(database.db, (tx) => giveRoundBack(tx, day))
  await inTransaction(database.db, (tx) => tellReturned(tx, day, { after: 0n, upTo: free }))
  const back =
    'The round of 22 November 2026 ended without a result: its public random number did not come for 30 days. Everyone who joined got ₹1 back. Yours is in your wallet.'
  // ₹0.40 was still owed.
  const debtor = `${back} ₹0.40 of it paid what you owed.`
  expect(await told('round_returned', 'round_returned')).toEqual([debtor, back, debtor, back])
})
