/** When, where and of what a recorded run was measured, and whether the machine was idle beside it. */
import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import { ROOT } from './processes.ts'

export type Circumstances = {
  readonly at: string
  readonly seconds: number
  readonly commit: string
  readonly machine: string
  readonly node: string
  /** Cores that programs other than the measured ones took meanwhile, on average. */
  readonly otherCores: number
}

/** The commit that was measured, and whether the checkout has changes to it. */
function measuredCommit(): string {
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  // The figures of an earlier run are in docs/ and change nothing that is measured.
  const isChanged = git('status', '--porcelain', '--untracked-files=no', '--', ':!docs') !== ''
  return git('rev-parse', '--short=12', 'HEAD') + (isChanged ? ' with changes' : '')
}

export const machineHere = () => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  commit: measuredCommit(),
})

export function circumstancesOf(run: { readonly beganMs: number; readonly otherCores: number }): Circumstances {
  const { processor, cores, memoryGb, commit } = machineHere()
  return {
    at: new Date().toISOString(),
    seconds: (performance.now() - run.beganMs) / 1000,
    commit,
    machine: `${cores} × ${processor}, ${memoryGb} GB`,
    node: process.versions.node,
    otherCores: run.otherCores,
  }
}
