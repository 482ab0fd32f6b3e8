/**
 * Money and the log after a restore to an earlier second: what the gateway and the public have seen since.
 * - The gateway is another company: its sandbox keeps its own data over the restore.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { startPostgres } from '@roz/server/db/embedded/embedded.ts'
import { sql } from '@roz/server/db/sql.ts'
import { beforeAll, expect, test } from 'vitest'
import { ask } from '../../harness/calls.ts'
import { runCommand } from '../../harness/command.ts'
import { expectCleanAudit, inDatabase } from '../../harness/database.ts'
import { adminToken, BANK, eventually, newMember, passDay, pay, type Person, PHONE } from '../../harness/people.ts'
import { newDataDir, postJson, type Program, startProgram, startUntouched } from '../../harness/program.ts'
import { restoredCopy } from '../../harness/restored.ts'

type Transfer = { readonly transfer_id: string; readonly cf_transfer_id: string; readonly transfer_amount: number }
type Seen = Transfer & { readonly beneficiary_details: { readonly beneficiary_id: string } }

let roz: Program
let asha: Person
/** The data of the second. */
let second: string
const orders: string[] = []
const withdrawals: string[] = []
const sent: Seen[] = []
const checkpoints: string[] = []
/** The restored folder that was joined to the gateway. */
let joined: string
const ALL = process.env.ROZ_TEST_ALL === '1'

const tokens = new Map<string, Promise<string>>()
/** One login for each program: more would be throttled. */
function staffOf(origin: string): Promise<string> {
  const token = tokens.get(origin) ?? adminToken(origin)
  tokens.set(origin, token)
  return token
}
const order = async (): Promise<string> =>
  (await ask(roz.url, 'addMoney', { token: asha.token, body: { amount: 10, phoneNumber: PHONE } })).output.order_id
const withdraw = async (origin: string, amount = 10) =>
  ask(origin, 'withdraw', { token: asha.token, key: `withdraw-${Math.random()}`, body: { amount, bankDetail: BANK } })
const balance = async (origin: string): Promise<number> => (await ask(origin, 'profile', { token: asha.token })).output.user.wallet.balance
const stateOf = async (origin: string, id: string): Promise<string | undefined> => {
  const { output } = await ask(origin, 'adminWithdrawals', { token: await staffOf(origin), query: { q: id } })
  return output.withdrawals.find((one) => one.id === id)?.status
}
const transferAt = async (sandboxUrl: string, id: string): Promise<Seen | undefined> => {
  const response = await fetch(`${sandboxUrl}/__sandbox/transfers/${id.replaceAll('-', '')}`)
  return response.status === 200 ? ((await response.json()) as Seen) : undefined
}
const approve = async ({ url }: Program, id: string) =>
  ask(url, 'approveWithdrawal', { token: await staffOf(url), params: { id }, body: { status: 'requested' } })

/** Approves a withdrawal and lets the bank pay it. */
async function payOut(id: string): Promise<void> {
  expect((await approve(roz, id)).status).toBe(200)
  const transfer = await eventually('the transfer', () => transferAt(roz.sandboxUrl, id))
  await postJson(`${roz.sandboxUrl}/__sandbox/transfers/${transfer.transfer_id}`, { status: 'SUCCESS' })
  await eventually('the payment', async () => (await stateOf(roz.url, id)) === 'paid' || undefined)
  sent.push(transfer)
}

const keepCheckpoint = async (): Promise<void> => {
  const file = path.join(newDataDir(), 'checkpoint')
  writeFileSync(file, await (await fetch(`${roz.url}/api/public/log/checkpoint`)).text())
  checkpoints.push(file)
}

/** Restores the second, beside a gateway that knows everything since. */
function restored(): string {
  const dataDir = restoredCopy(second)
  rmSync(path.join(dataDir, 'gateway-sandbox'), { recursive: true })
  cpSync(path.join(roz.dataDir, 'gateway-sandbox'), path.join(dataDir, 'gateway-sandbox'), { recursive: true })
  return dataDir
}

/** An administrator decides before the gateway is asked. */
async function beforeTheAnswer(dataDir: string): Promise<void> {
  const local = await startPostgres({ dataDir: path.join(dataDir, 'postgres'), log: () => undefined })
  await inDatabase(dataDir, (db) => db.query(sql`update payout_check set ask_at = ask_at + interval '1 hour'`))
  await local.stop()
}

/** Before the second: an unpaid order and a requested withdrawal. After it: both are paid, and an order and a withdrawal begin and are paid. */
beforeAll(async () => {
  roz = await startProgram()
  asha = await newMember(roz, { rupees: 30 })
  orders.push(await order())
  withdrawals.push((await withdraw(roz.url)).output.withdrawal.id)
  await keepCheckpoint()
  expect(await roz.stop()).toBe(0)
  second = path.join(newDataDir(), 'second')
  execFileSync('cp', ['-a', '--', roz.dataDir, second])
  roz = await startUntouched({ dataDir: roz.dataDir })
  orders.push(await order())
  for (const id of orders) await pay(roz.sandboxUrl, id, 'success')
  await eventually('both credits', async () => (await balance(roz.url)) === 40 || undefined)
  withdrawals.push((await withdraw(roz.url)).output.withdrawal.id)
  for (const id of withdrawals) await payOut(id)
  await passDay(roz.url)
  await keepCheckpoint()
  expect(await roz.stop()).toBe(0)
})

test('what the gateway took after the second is credited or in suspense, and what it paid out leaves the wallet once', async () => {
  const dataDir = restored()
  joined = dataDir
  const lists = newDataDir()
  const rows = sent.map((one) => `${one.transfer_id},${one.transfer_amount},${one.beneficiary_details.beneficiary_id},SUCCESS`)
  writeFileSync(path.join(lists, 'transfers.csv'), ['Transfer ID,Transfer Amount,Beneficiary ID,Status', ...rows].join('\n'))
  writeFileSync(path.join(lists, 'orders.csv'), orders.join('\n'))
  const [early = ''] = checkpoints
  const words = ['--orders', path.join(lists, 'orders.csv'), '--transfers', path.join(lists, 'transfers.csv'), '--checkpoint', early]
  for (let run = 0; run < 2; run++) {
    const { code, text } = await runCommand(dataDir, 'restore', 'finish', ...words)
    expect([code, text]).toEqual([0, expect.stringContaining('that others have seen')])
    expect(text.includes('it is a withdrawal of member')).toBe(run === 0)
  }
  const again = await startUntouched({ dataDir })
  const [known = '', forgotten = ''] = withdrawals
  await eventually('the payouts', async () => {
    const states = [await stateOf(again.url, known), await stateOf(again.url, forgotten)]
    return states.every((state) => state === 'paid') || undefined
  })
  // 30 − 10 − 10, and the order that was made before the second and paid after it.
  await eventually('the credit', async () => (await balance(again.url)) === 20 || undefined)
  const { suspense } = (await ask(again.url, 'suspense', { token: await staffOf(again.url) })).output
  expect(suspense.map((item) => item.order_id)).toEqual([orders[1]])
  expect((await approve(again, known)).status).toBe(409)
  expect((await withdraw(again.url, 30)).refusal.code).toBe('insufficient_funds')
  await expectCleanAudit(dataDir)
  await again.stop()
})

test.runIf(ALL)('a withdrawal that is approved once more has its first transfer at the gateway, and no second one', async () => {
  const dataDir = restored()
  expect((await runCommand(dataDir, 'restore', 'finish')).code).toBe(0)
  await beforeTheAnswer(dataDir)
  const again = await startUntouched({ dataDir })
  const [known = ''] = withdrawals
  expect((await approve(again, known)).status).toBe(200)
  await eventually('the payment', async () => (await stateOf(again.url, known)) === 'paid' || undefined)
  expect((await transferAt(again.sandboxUrl, known))?.cf_transfer_id).toBe(sent[0]?.cf_transfer_id)
  await expectCleanAudit(dataDir)
  await again.stop()
})

test('if others have seen a longer log, the command reports it and no server starts on that database', async () => {
  const [, late = ''] = checkpoints
  const { code, text } = await runCommand(joined, 'restore', 'finish', '--checkpoint', late)
  expect([code, text]).toEqual([1, expect.stringContaining('its next record would contradict them')])
  await expect(startUntouched({ dataDir: joined })).rejects.toThrow(/others have seen \d+: its next one would contradict them/)
})

test('an invalid checkpoint, or one of another log, proves nothing about this log', async () => {
  const file = path.join(newDataDir(), 'checkpoint')
  const [early = ''] = checkpoints
  for (const [text, line] of [
    ['nothing', 'is no checkpoint of a log'],
    [readFileSync(early, 'utf8').replace(/\n\d+\n/, '\n999\n'), "no key of this database's log signed it"],
  ] as const) {
    writeFileSync(file, text)
    expect(await runCommand(joined, 'restore', 'finish', '--checkpoint', file)).toEqual({ code: 1, text: expect.stringContaining(line) })
  }
  writeFileSync(file, 'id,paid')
  expect((await runCommand(joined, 'restore', 'finish', '--transfers', file)).code).toBe(2)
  expect((await runCommand(joined, 'restore', 'finish', '--order', file)).code).toBe(2)
})
