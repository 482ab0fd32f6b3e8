/** The gateway's secrets are replaced as docs/runbooks/keys.md says. The end state: the former ones open nothing. */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { runCommand } from '../../harness/command.ts'
import { addMoney, newMember } from '../../harness/people.ts'
import { newDataDir, type Program, startProgram, startUntouched } from '../../harness/program.ts'

const KINDS = [
  { webhook: 'cashfree', setting: 'CASHFREE_PG_CLIENT_SECRET' },
  { webhook: 'cashfree-payouts', setting: 'CASHFREE_PAYOUT_CLIENT_SECRET' },
] as const

let sent = 0
/** The answers to a webhook of payments and one of payouts that are signed with this secret. */
const answersTo = (secret: string, { url }: Program): Promise<number[]> =>
  Promise.all(
    KINDS.map(async ({ webhook }) => {
      const [timestamp, body] = [String(Date.now()), JSON.stringify({ type: 'SOMETHING_NEW', data: { number: ++sent } })]
      const signature = createHmac('sha256', secret)
        .update(timestamp + body)
        .digest('base64')
      const headers = { 'content-type': 'application/json', 'x-webhook-timestamp': timestamp, 'x-webhook-signature': signature }
      return (await fetch(`${url}/api/webhooks/${webhook}`, { method: 'POST', headers, body })).status
    }),
  )
const secrets = (value: string, suffix = ''): Record<string, string> =>
  Object.fromEntries(KINDS.map(({ setting }) => [setting + suffix, value]))

test('during the replacement both secrets of the gateway are accepted and payments continue; afterwards the old one is refused', async () => {
  const dataDir = newDataDir()
  const before = await startProgram({ dataDir, env: secrets('the former secret') })
  const asha = await newMember(before, { rupees: 10 })
  expect([await answersTo('the former secret', before), await answersTo('the new secret', before)]).toEqual([
    [200, 200],
    [401, 401],
  ])
  expect(await before.stop()).toBe(0)

  const during = await startUntouched({ dataDir, env: { ...secrets('the new secret'), ...secrets('the former secret', '_OLD') } })
  expect([await answersTo('the former secret', during), await answersTo('the new secret', during)]).toEqual([
    [200, 200],
    [200, 200],
  ])
  expect(await answersTo('a third secret', during)).toEqual([401, 401])
  await addMoney(during, asha, 10)
  expect(await during.stop()).toBe(0)

  const after = await startUntouched({ dataDir, env: secrets('the new secret') })
  expect([await answersTo('the former secret', after), await answersTo('the new secret', after)]).toEqual([
    [401, 401],
    [200, 200],
  ])
  await addMoney(after, asha, 10)
  expect((await runCommand(dataDir, 'status')).text).not.toContain('gateway')
})
