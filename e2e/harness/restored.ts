/** A data folder as a restore to an earlier moment leaves it. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { newDataDir } from './program.ts'

/** Copies the data of a stopped program and names a recovery target in the settings, as every recovery to a target does. */
export function restoredCopy(dataDir: string): string {
  const copy = path.join(newDataDir(), 'restored')
  execFileSync('cp', ['-a', '--', dataDir, copy])
  appendFileSync(path.join(copy, 'postgres/cluster/postgresql.auto.conf'), `recovery_target_name = '${randomUUID()}'\n`)
  return copy
}
