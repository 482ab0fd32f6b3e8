/**
 * Traces from a press in the browser to the SQL, and from a withdrawal to the gateway, as a collector receives them.
 * - No personal data of these actions reaches the collector.
 */
import { type Collector, type Received, startCollector } from '@roz/server/testing/collector.ts'
import { afterAll, test } from 'vitest'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, BANK, newMember, type Person, PHONE } from '../../harness/people.ts'
import { ADMIN } from '../../harness/program.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'

let collector: Collector
const fixture = useAppFixture({
  env: async () => {
    collector = await startCollector()
    return { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  },
})
afterAll(() => collector.close())

const WITHIN = { timeout: 30_000 }
const named = (name: string): Received[] => collector.spans().filter((span) => span.name === name)
const childOf = (name: string, parentSpanId: string | undefined): Received | undefined =>
  named(name).find((span) => span.parentSpanId === parentSpanId)

const secrets: string[] = [PHONE, ADMIN.email, ...Object.values(BANK).filter((value) => /\d/.test(value)), BANK.accountHolderName]
const known = (person: Person): Person => {
  secrets.push(person.name, person.email, person.token, person.id)
  return person
}

test('a join in the browser is one trace from the press to the statement of its batch', async () => {
  const asha = known(await newMember(fixture.roz, { name: 'Asha Traced', rupees: 10 }))
  await fixture.as(asha.token, '/dashboard', async (page) => {
    const asked = page.waitForRequest('**/api/rounds/join')
    await page.locator('.entry button').click()
    const [, traceId, spanId] = ((await asked).headers().traceparent ?? '').split('-')
    await expect
      .poll(() => named('POST /api/rounds/join').map((span) => [span.traceId, span.parentSpanId]), WITHIN)
      .toEqual([[traceId, spanId]])
    const [request] = named('POST /api/rounds/join')
    const batch = childOf('join batch', request?.spanId)
    expect(request?.links.some((link) => link.spanId === batch?.spanId)).toBe(true)
    expect(childOf('update wallet, insert join_batch, insert round_join', batch?.spanId)?.traceId).toBe(traceId)
  })
})

test('an approved withdrawal is a job with a link to its approval, and a call to the gateway', async () => {
  const biju = known(await newMember(fixture.roz, { name: 'Biju Traced', rupees: 20 }))
  const { withdrawal } = (await ask(fixture.roz.url, 'withdraw', { token: biju.token, body: { amount: 10, bankDetail: BANK } })).output
  const admin = await adminToken(fixture.roz.url)
  secrets.push(admin, withdrawal.id, withdrawal.id.replaceAll('-', ''))
  const params = { id: withdrawal.id }
  await ask(fixture.roz.url, 'approveWithdrawal', { token: admin, params, body: { status: 'requested' } })
  const approval = 'POST /api/admin/withdrawals/:id/approve'
  await expect.poll(() => named('gateway POST /transfers').length, WITHIN).toBeGreaterThan(0)
  const [job] = named('job send_payout')
  expect(named('gateway POST /transfers')[0]?.traceId).toBe(job?.traceId)
  const inApproval = collector.spans().filter(({ traceId }) => traceId === named(approval)[0]?.traceId)
  expect(inApproval.map(({ spanId }) => spanId)).toContain(job?.links[0]?.spanId)
})

test('nothing that was sent contains personal data', () => {
  const sent = collector.texts.join('\n')
  expect(sent.length).toBeGreaterThan(100_000)
  for (const name of ['send mail', 'job settle_order', 'gateway GET /orders/{id}', 'POST /api/webhooks/cashfree'])
    expect([name, named(name).length > 0]).toEqual([name, true])
  expect(secrets.filter((secret) => sent.includes(secret))).toEqual([])
})
