import { expect, test } from 'vitest'
import { pageOf, type Report, type Size } from './sizes-results.ts'

const sizeOf = (members: number): Size => ({
  members,
  steps: [
    { name: 'close', seconds: members / 1e6, cpuSeconds: members / 2e6, walBytes: members, longestSeconds: 0.5 },
    { name: 'void', seconds: members / 1e5, cpuSeconds: 1, walBytes: members * 1000, longestSeconds: 0.25 },
  ],
  verification: { seconds: members / 1e5, cpuSeconds: 1, peakMb: 150, exitCode: members > 1e6 ? 2 : 3 },
  peakMb: 200,
  databaseBytes: members * 1000,
})
const report: Report = {
  at: '2026-12-01T04:05:06.000Z',
  seconds: 1800,
  commit: 'abcdef123456',
  machine: '2 × Processor, 24 GB',
  node: '26.10.0',
  otherCores: 0.02,
  sizes: [sizeOf(1_000_000), sizeOf(10_000_000)],
}

test('the page has each step at each size, and the circumstances of the run', () => {
  const text = pageOf(report)
  expect(text).toContain('longest transaction | 1,000,000 members | 10,000,000 members |')
  expect(text).toContain('| close | 1.00 s; 0.50 s; 1 MB; 0.50 s | 10 s; 5.00 s; 10 MB; 0.50 s |')
  expect(text).toContain('| void | 10 s; 1.00 s; 1.0 GB; 0.25 s | 100 s; 1.00 s; 10.0 GB; 0.25 s |')
  expect(text).toContain('10 s; 150 MB; WEAK | 100 s; 150 MB; FAIL |')
  expect(text).toContain('on 2026-12-01, 30 minutes on 2 × Processor, 24 GB, Node 26.10.0, at commit `abcdef123456`')
  expect(text).toContain('The machine was idle otherwise: other programs took 0.02 cores')
})

test('the page of a run beside other programs says that the machine was not idle', () => {
  expect(pageOf({ ...report, otherCores: 1.2 })).toContain('**The machine was not idle**')
})
