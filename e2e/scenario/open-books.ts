/** The scenario of the public files: each file with its immutable cache header, each proof, and a member's own part. */
import { nextDay, type IstDay } from '@roz/core/ist-day.ts'
import { expect } from 'vitest'
import { setClock } from '../harness/people.ts'
import type { Scenario } from './scenario.ts'

const IMMUTABLE = /\bimmutable\b/

/** `day` is settled; the night passes, so that its books are made. */
export async function runOpenBooks(scenario: Scenario, { member, day }: { readonly member: string; readonly day: IstDay }): Promise<void> {
  expect((await scenario.step('booksFile', { params: { day } })).status, 'a day that is not over has no books').toBe(404)
  await setClock(scenario.roz.url, `${nextDay(day)}T09:00:00+05:30`)
  await runLog(scenario, day)
  await runDay(scenario, day)

  const ticket = (await scenario.step('userTicket', { token: member, params: { day } })).output
  expect(ticket.proof?.close.record).toMatchObject({ kind: 'close', day, count: 2 })
  const parts = (await scenario.step('userLiabilities', { token: member, params: { day }, query: { limit: '128' } })).output
  expect(parts.parts.reduce((sum, { amount }) => sum + amount, 0)).toBe(parts.balance + parts.held)
}

async function runLog(scenario: Scenario, day: IstDay): Promise<void> {
  expect((await scenario.step('logKey', {})).text).toMatch(/^\S+\+[0-9a-f]{8}\+\S+\s*$/)
  const checkpoint = (await scenario.step('logCheckpoint', {})).text
  const size = Number(checkpoint.split('\n')[1])
  expect(size).toBeGreaterThan(2)
  const records = (await scenario.step('logEntries', { params: { n: '0' } })).text.split('\n').filter((line) => line !== '')
  expect(records).toHaveLength(size)
  expect((await scenario.step('logInclusion', { query: { index: '0', size: String(size) } })).status).toBe(200)
  expect((await scenario.step('logConsistency', { query: { from: '1', to: String(size) } })).status).toBe(200)
  expect([200, 404]).toContain((await scenario.step('logSealed', { params: { day } })).status)
  const opened = records.map((line) => JSON.parse(line) as { readonly rules?: string }).find((record) => record.rules !== undefined)
  const rules = await scenario.step('rulesFile', { params: { hash: opened?.rules ?? '' } })
  expect(rules.text).toMatch(/^# The protocol of the daily draw/)
  expect(rules.headers.get('cache-control')).toMatch(IMMUTABLE)
  const refused = await scenario.cosign('nothing of a note')
  expect([refused.status, refused.code]).toEqual([400, 'not_a_note'])
}

async function runDay(scenario: Scenario, day: IstDay): Promise<void> {
  for (const name of ['drawFile', 'drawTickets', 'booksFile', 'liabilitiesFile'] as const) {
    const file = await scenario.step(name, { params: { day } })
    expect([file.status, IMMUTABLE.test(file.headers.get('cache-control') ?? '')], name).toEqual([200, true])
    expect((await scenario.step(name, { params: { day: '2001-01-01' } })).refusal.code, name).toBe('not_found')
  }
  const { days, totals } = (await scenario.step('publicDays', {})).output
  expect(days[0]).toMatchObject({ day, status: 'settled', entries: 2, intake: 2, assurance: 'weak' })
  expect(totals).toMatchObject({ days: 1, entries: 2, intake: 2 })
  expect((await scenario.step('publicDay', { params: { day } })).output.day).toEqual(days[0])
}
