/**
 * The data folder of a first start, made once for a whole test run.
 * - Most programs start from a copy of this folder, which saves creating a database.
 * - A copy is used only when a first start would leave the same data.
 * - The copy runs with fsync off.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { dayAt } from '@roz/core/ist-day.ts'

const FOLDER = 'ROZ_FIRST_DATA'
/** Settings that a first start does not write into its data. */
const OF_NO_MATTER = /^(BRAND_NAME|CASHFREE_\w+|GOOGLE_\w+|HOW_IT_WORKS_VIDEO|LOG_LEVEL|OFFICE_ADDRESS|SITE_\w+|SUPPORT_\w+|WEB_DIR)$/

/** The run's folder, empty until `keepFirstData`; undefined when the run already has one. */
export function newFirstData(): { readonly dataDir: string; readonly remove: () => void } | undefined {
  if (process.env[FOLDER] !== undefined) return undefined
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'roz-first-data-')))
  // Under root the database runs as another user, who must be able to enter this folder.
  chmodSync(folder, 0o711)
  const dataDir = path.join(folder, 'data')
  mkdirSync(dataDir, { mode: 0o711 })
  process.env[FOLDER] = folder
  return {
    dataDir,
    remove: () => {
      delete process.env[FOLDER]
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Allows copies: the program that made the data has stopped. */
export function keepFirstData(): void {
  const folder = process.env[FOLDER] ?? ''
  // Written data survives a kill without fsync; only a power cut needs it.
  appendFileSync(path.join(folder, 'data', 'postgres', 'cluster', 'postgresql.conf'), '\nfsync = off\n')
  writeFileSync(path.join(folder, 'day'), dayAt(Date.now()))
}

/** Copies the data into an empty folder, if this run made them today for such settings. */
export function copyFirstData(dataDir: string, settings: Readonly<Record<string, string>> = {}): void {
  const folder = process.env[FOLDER]
  if (folder === undefined || !Object.keys(settings).every((name) => OF_NO_MATTER.test(name))) return
  // Data of an earlier day would contain yesterday's round.
  if (dayOf(folder) !== dayAt(Date.now())) return
  execFileSync('cp', ['-a', '--', `${path.join(folder, 'data')}/.`, dataDir])
}

function dayOf(folder: string): string | undefined {
  try {
    return readFileSync(path.join(folder, 'day'), 'utf8')
  } catch {
    return undefined
  }
}
