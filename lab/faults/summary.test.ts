import { expect, test } from 'vitest'
import type { Cycle, Finding, RunResult } from './cycles.ts'
import { type Circumstances, type ControlResult, summarise } from './summary.ts'

const HERE: Circumstances = {
  measured: 'Measured on 2026-12-01',
  seconds: 60,
  seed: 7,
  clients: 8,
  members: 180,
}
const CLUSTER: Circumstances = { ...HERE, silenceMaxMs: 15_000 }
const CONTROL: ControlResult = { control: 'commits-on-one-node', shows: 'lost', cycles: 1, found: 'join of 1001' }

const cycleOf = (kind: string, silenceMs: number): Cycle => ({
  kind,
  silenceMs,
  inFlight: 4,
  cutOff: 2,
  recoveryMs: 200,
  failed: 2,
  acknowledged: 20,
  seconds: 10,
})
const resultOf = (cycles: readonly Cycle[], finding?: Finding): RunResult => ({
  cycles,
  idle: [],
  acknowledged: 40,
  deeds: {},
  faultAnswers: {},
  finding,
})

test('a fault that silences a cluster for longer than its limit is a finding', () => {
  const { clean, findings, totals } = summarise([resultOf([cycleOf('app-kill', 500), cycleOf('node-kill', 40_000)])], [CONTROL], CLUSTER)
  expect(clean).toBe(false)
  expect(findings).toMatchObject([
    { kind: 'node-kill', cycle: 2, lost: [], told: ['no client got an acknowledgement for 40.0 s; at most 15.0 s are allowed'] },
  ])
  expect(totals.complaints).toBe(1)
})

test('a shorter silence, and any silence of a single server, is none', () => {
  expect(summarise([resultOf([cycleOf('node-kill', 14_900)])], [CONTROL], CLUSTER).clean).toBe(true)
  expect(summarise([resultOf([cycleOf('machine-kill', 40_000)])], [CONTROL], HERE).clean).toBe(true)
})

test('a finding, and a control that was not found, make a run unclean', () => {
  const finding: Finding = { kind: 'node-kill', cycle: 1, lost: [], doubled: [], strange: [], broken: [], told: ['/api/me answered 500'] }
  expect(summarise([resultOf([], finding)], [CONTROL], HERE)).toMatchObject({ clean: false, findings: [finding] })
  expect(summarise([resultOf([])], [{ ...CONTROL, found: undefined }], HERE).clean).toBe(false)
  expect(summarise([resultOf([])], [CONTROL], HERE).clean).toBe(true)
})
