/** Names the machine and the commit of a measurement, for its record. */
import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus } from 'node:os'

/** The commit of the checkout; `unknown` outside a checkout. */
export const commitHere = (): string => {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return 'unknown'
  }
}

export const processorsHere = (): string => `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`
