/**
 * What the first start of the program leaves in its data folder, made once for a whole run of tests:
 * most programs begin with a copy, which spares each the making of a database. Invariant: a copy is
 * taken only where a start of its own would have left the same. It does not wait for the disk.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { dayAt } from '@roz/core/ist-day.ts'

const FOLDER = 'ROZ_FIRST_DATA'
/** Settings that the first start writes nothing of. */
const OF_NO_MATTER = /^(BRAND_NAME|CASHFREE_\w+|GOOGLE_\w+|HOW_IT_WORKS_VIDEO|LOG_LEVEL|OFFICE_ADDRESS|SITE_\w+|SUPPORT_\w+|WEB_DIR)$/

/** For the run: a folder that stays empty until `keepFirstData`; undefined where the run has one already. */
export function newFirstData(): { readonly dataDir: string; readonly remove: () => void } | undefined {
  if (process.env[FOLDER] !== undefined) return undefined
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'roz-first-data-')))
  // The database runs as another user where the tests run as root: it must pass through here.
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

/** From now on it may be copied: the program that made it has stopped. */
export function keepFirstData(): void {
  const folder = process.env[FOLDER] ?? ''
  // What was written outlives every kill; only who pulls the plug has to wait for the disk.
  appendFileSync(path.join(folder, 'data', 'postgres', 'cluster', 'postgresql.conf'), '\nfsync = off\n')
  writeFileSync(path.join(folder, 'day'), dayAt(Date.now()))
}

/** Fills an empty folder, where this run has made data for such settings today. */
export function copyFirstData(dataDir: string, settings: Readonly<Record<string, string>> = {}): void {
  const folder = process.env[FOLDER]
  if (folder === undefined || !Object.keys(settings).every((name) => OF_NO_MATTER.test(name))) return
  // A day later there would be a round of yesterday in it.
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
