/** The short form of npm run lab -- fuzz, and controls: it finds the faults that are built in. */
import { REFUSALS } from '@roz/core/refusals.ts'
import { expect, test } from 'vitest'
import { judgeAnswer } from './judge-answer.ts'
import type { FuzzRequest } from './requests.ts'
import { runFuzz } from './run.ts'

const SEED = Number(process.env.ROZ_SEED ?? Date.now() % 1_000_000)
/** On a busy machine fewer requests are enough. */
const MOST_MS = 60_000

test('fuzzed requests get only declared answers, and a refused one changes no row', { timeout: 240_000 }, async () => {
  console.log(`fuzz with ROZ_SEED=${SEED}`)
  const until = performance.now() + MOST_MS
  const result = await runFuzz({ requests: 2000, seed: SEED, demo: false, goesOn: () => performance.now() < until })
  expect(result.findings).toEqual([])
  expect(result.audit).toEqual([])
  expect(result.accepted).toBeGreaterThan(result.requests / 5)
  expect(result.refused).toBeGreaterThan(result.requests / 5)
})

const REQUEST: FuzzRequest = {
  call: 'logout',
  wrongs: [],
  method: 'POST',
  address: '/api/auth/logout',
  headers: [],
  body: undefined,
  actor: '',
}
const refusal = (code: keyof typeof REFUSALS, also = {}) => ({
  status: REFUSALS[code].status,
  type: 'application/json; charset=utf-8',
  body: Buffer.from(JSON.stringify({ code, message: REFUSALS[code].en, ...also })),
})

test('an answer that the contract does not declare is named', () => {
  expect(judgeAnswer(REQUEST, refusal('unauthenticated')).fault).toBeUndefined()
  expect(judgeAnswer(REQUEST, refusal('not_found')).fault).toBe('the refusal not_found is not declared')
  expect(judgeAnswer(REQUEST, { ...refusal('unauthenticated'), status: 403 }).fault).toBe('unauthenticated with the status 403')
  expect(judgeAnswer(REQUEST, refusal('unauthenticated', { stack: 'at …' })).fault).toBe('a refusal with other keys: code,message,stack')
  expect(judgeAnswer(REQUEST, { status: 200, type: '', body: Buffer.alloc(0) }).fault).toBe('the status 200 is not declared')
  const me: FuzzRequest = { ...REQUEST, call: 'roundStats', method: 'GET', address: '/api/rounds/stats' }
  const stats = { totalParticipated: 1, totalWon: 2, winRate: 0 }
  const answered = (output: object) =>
    judgeAnswer(me, { ...refusal('not_found'), status: 200, body: Buffer.from(JSON.stringify(output)) }).fault
  expect(answered(stats)).toBeUndefined()
  expect(answered({ ...stats, email: 'a@x.test' })).toBe('a field that is not declared')
  expect(answered({ ...stats, totalWon: '2' })).toMatch(/^the body is not what the contract declares/)
})
