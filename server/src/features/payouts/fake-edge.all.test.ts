/**
 * A stranger answers instead of the gateway: every job and call that asks the gateway gets every kind of answer.
 * Nothing is lost, nothing is booked, and when the stranger is gone everything completes by itself.
 */
import { EDGES } from '@roz/gateway-sandbox/faults.ts'
import { afterEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { runAudit } from '../../ledger/audit.ts'
import { readWallet } from '../../ledger/wallets.ts'
import { makeMember } from '../../testing/calls.ts'
import { openGatewayWorld } from '../../testing/gateway-world.ts'
import { BANK } from '../../testing/wallet-world.ts'
import { scheduleCheck } from '../wallet/orders.ts'
import { askAnyway } from './checks.ts'
import { perFile } from '../../testing/fixture.ts'

const world = perFile(openGatewayWorld)
afterEach(() => world.play('/faults', {}))

const hex = (id: string): string => id.replaceAll('-', '')
const add = (as: bigint) => world.calls.ask('POST /wallet/add', { as, body: { amount: 30, phoneNumber: '9876543210' } })
const order = async (as: bigint): Promise<string> => String((await add(as)).body.order_id)
const balanceOf = async (member: bigint) => (await readWallet(world.db, member))?.balance

/** Passes time and works until it holds. */
async function until(what: string, holds: () => Promise<boolean>, seconds = 6): Promise<void> {
  for (let times = 0; times < 60; times++) {
    await world.goOn(seconds)
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`waited in vain: ${what}`)
}

async function paid(member: bigint, after: bigint): Promise<string> {
  const orderId = await order(member)
  await world.play(`/orders/${orderId}/pay`, { outcome: 'success' })
  await until(`a balance of ${after}`, async () => (await balanceOf(member)) === after)
  return orderId
}
async function asked(member: bigint, path: string, what: 'refund' | 'withdrawal', body: object): Promise<string> {
  const answer = await world.calls.ask(`POST /wallet/${path}`, { as: member, body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body[what].id
}
async function disputed(orderId: string, stage: string): Promise<string> {
  return String((await world.play(`/orders/${orderId}/dispute`, { stage, webhooks: 1 }))['dispute_id'])
}

/** Something in each state in which the gateway is asked. */
async function oneOfEach() {
  const member = await makeMember(world.db)
  const taken = await paid(member, 3000n)
  const used = await paid(member, 6000n)
  const dispute = await disputed(taken, 'CHARGEBACK')
  await until('the chargeback', async () => (await balanceOf(member)) === 3000n)
  const refunds = [0, 1].map(() => asked(member, 'refunds', 'refund', { order_id: used, amount: 5, reason: 'Added too much' }))
  const [refund, nextRefund] = (await Promise.all(refunds)) as [string, string]
  const withdraw = () => asked(member, 'withdraw', 'withdrawal', { amount: 10, bankDetail: { ...BANK, accountNumber: String(account++) } })
  const [withdrawal, nextWithdrawal] = [await withdraw(), await withdraw()]
  const open = await order(member)
  await world.calls.ask(`GET /wallet/verify/${open}`, { as: member })
  await world.decide(`refunds/${refund}`)
  await world.decide(`withdrawals/${withdrawal}`)
  const all = { member, dispute, refund, nextRefund, withdrawal, nextWithdrawal, open }
  await until('both are sent', async () => {
    const { states } = await statesOf(all)
    return states[1] === 'sending' && states[3] === 'sending'
  })
  // The sandbox remembers the first answer to each question.
  await askAll(all)
  await world.goOn(60)
  // An order that is older than any delay between creation and reading.
  await world.db.query(sql`update topup set created_at = created_at - interval '1 hour' where order_id = ${open}::text`)
  return all
}
let account = 300_000_000_000
type All = Awaited<ReturnType<typeof oneOfEach>>

const statesOf = ({ open, refund, nextRefund, withdrawal, nextWithdrawal, dispute }: Omit<All, 'member'>) =>
  world.db.one<{ states: readonly string[] }>(sql`
    select array[(select status from topup where order_id = ${open}::text), (select status from refund where id = ${refund}::uuid),
          (select status from refund where id = ${nextRefund}::uuid), (select status from withdrawal where id = ${withdrawal}::uuid),
          (select status from withdrawal where id = ${nextWithdrawal}::uuid), (select state from dispute where id = ${dispute}::text)] as states`)
/** Makes every question due, as after a restore. */
async function askAll({ open, withdrawal, nextWithdrawal, refund, nextRefund }: Omit<All, 'member' | 'dispute'>): Promise<void> {
  await scheduleCheck(world.db, open, 0)
  for (const id of [withdrawal, nextWithdrawal]) await askAnyway(world.db, { id, kind: 'withdrawal' })
  for (const id of [refund, nextRefund]) await askAnyway(world.db, { id, kind: 'refund' })
}
const foreignAnswers = async (): Promise<number> =>
  (await world.db.one<{ n: number }>(sql`select coalesce(sum(times), 0)::int as n from foreign_answer`)).n
const movements = async (): Promise<number> => (await world.db.one<{ n: number }>(sql`select count(*)::int as n from transfer`)).n

const PLAYED = EDGES.filter((edge) => edge !== 'none')

test.each(PLAYED)(
  'an edge that answers %s loses and books nothing, and when it is gone everything completes by itself',
  async (edge) => {
    const all = await oneOfEach()
    const { member, open, refund, nextRefund, withdrawal, nextWithdrawal, dispute } = all
    const [before, foreign] = [await movements(), await foreignAnswers()]
    await world.play('/faults', { edge })
    // The gateway goes on behind the edge.
    await world.play(`/orders/${open}/pay`, { outcome: 'success' })
    await world.play(`/refunds/${hex(refund)}`, { status: 'SUCCESS' })
    await world.play(`/transfers/${hex(withdrawal)}`, { status: 'SUCCESS' })
    await world.play(`/disputes/${dispute}`, { step: 'MERCHANT_WON' })
    await world.decide(`refunds/${nextRefund}`)
    await world.decide(`withdrawals/${nextWithdrawal}`)
    const added = await add(member)
    expect([edge, added.status]).toEqual([edge, edge === 'stale' ? 200 : 502])
    for (const seconds of [6, 60, 600]) {
      await world.calls.ask(`GET /wallet/verify/${open}`, { as: member })
      await askAll(all)
      await world.goOn(seconds)
    }
    const { states } = await statesOf(all)
    expect([states[0], states[1], states[3], states[5]]).toEqual(['pending', 'sending', 'sending', 'open'])
    expect(['approved', 'sending']).toContain(states[2])
    expect(['approved', 'sending']).toContain(states[4])
    expect([await movements(), await balanceOf(member)]).toEqual([before, 0n])
    expect((await foreignAnswers()) > foreign).toBe(edge === 'other_id' || edge === 'yesterday')

    await world.play('/faults', {})
    await until(
      'the next ones are sent',
      async () => (await statesOf(all)).states.filter((state) => state === 'approved').length === 0,
      600,
    )
    await until('they are at the gateway', () => isThere([`/refunds/${hex(nextRefund)}`, `/transfers/${hex(nextWithdrawal)}`]), 600)
    await world.play(`/refunds/${hex(nextRefund)}`, { status: 'SUCCESS' })
    await world.play(`/transfers/${hex(nextWithdrawal)}`, { status: 'SUCCESS' })
    const ended = ['captured', 'paid', 'paid', 'paid', 'paid', 'won']
    // An open dispute is asked about once a day.
    await until('everything ends', async () => (await statesOf(all)).states.join() === ended.join(), 3600)
    expect(await readWallet(world.db, member)).toMatchObject({ balance: 6000n, held: 0n })
    expect(await runAudit(world.db)).toEqual([])
  },
  180_000,
)

const isThere = async (paths: readonly string[]): Promise<boolean> => {
  const answers = await Promise.all(paths.map((path) => fetch(`${world.sandboxUrl}/__sandbox${path}`)))
  return answers.every(({ ok }) => ok)
}

test('an old answer moves no final state back: a returned transfer stays returned, and a won dispute won', async () => {
  const member = await makeMember(world.db)
  const orderId = await paid(member, 3000n)
  const withdrawal = await asked(member, 'withdraw', 'withdrawal', { amount: 10, bankDetail: { ...BANK, accountNumber: '300000900000' } })
  await world.decide(`withdrawals/${withdrawal}`)
  const stateOf = async (): Promise<string> =>
    (await world.db.one<{ status: string }>(sql`select status from withdrawal where id = ${withdrawal}::uuid`)).status
  await until('it is sent', async () => (await stateOf()) === 'sending')
  // The sandbox remembers the first answer to each question: here that the transfer is paid, and that the payer's bank has the money.
  await world.play(`/transfers/${hex(withdrawal)}`, { status: 'SUCCESS' })
  await until('it is paid', async () => (await stateOf()) === 'paid')
  const dispute = await disputed(orderId, 'CHARGEBACK')
  await until('the chargeback', async () => (await balanceOf(member)) === 0n)
  // The gateway's times have whole seconds.
  await new Promise((resolve) => setTimeout(resolve, 1100))
  await world.play(`/transfers/${hex(withdrawal)}`, { status: 'REVERSED' })
  await world.play(`/disputes/${dispute}`, { step: 'MERCHANT_WON' })
  await until('both are back', async () => (await balanceOf(member)) === 3000n && (await stateOf()) === 'reversed')
  await world.goOn(86_400)
  const before = await movements()
  world.alarms.length = 0
  await world.play('/faults', { edge: 'stale' })
  for (let days = 0; days < 3; days++) await world.goOn(86_400)
  expect([await stateOf(), await balanceOf(member), await movements(), world.alarms]).toEqual(['reversed', 3000n, before, []])
  expect(await world.db.query(sql`select state, is_taken as "isTaken" from dispute where id = ${dispute}::text`)).toEqual([
    { state: 'won', isTaken: false },
  ])
})
