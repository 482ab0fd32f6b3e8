/** Runs the Python twin, spec/verify.py, on a set of published files. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { canonicalBytes } from '../src/canonical.ts'
import { verifierKeyOf } from '../src/note.ts'
import { BEACON, closeRecord, DAY, LOG, openRecord, ticketsOf } from './site-maker.ts'
import type { Done } from './tampers.ts'

const TWIN = fileURLToPath(new URL('../../spec/verify.py', import.meta.url))
const plan = { day: DAY, tickets: ticketsOf(7, DAY) }

/** The keys and pins that a reader of the test's sites trusts. */
export const ASKED = { logKey: verifierKeyOf(LOG), chainHash: BEACON.draw.chainHash } as const

export const makeFolder = (): string => mkdtempSync(path.join(os.tmpdir(), 'roz-twin-'))

function write(copy: string, files: ReadonlyMap<string, Uint8Array>): void {
  for (const [file, bytes] of files) {
    const place = path.join(copy, /^(draws|books)\/[^/]+$/.test(file) ? `${file}.json` : file)
    mkdirSync(path.dirname(place), { recursive: true })
    writeFileSync(place, bytes)
  }
}

/**
 * The signature that a reader would fetch from a relay, for the round and the chain that the record names: verify.py does not check
 * BLS signatures.
 */
function relayed(files: ReadonlyMap<string, Uint8Array>, name: string): string {
  const [, shown = ''] = /"signature":"([0-9a-f]{96})"/.exec(new TextDecoder().decode(files.get(`draws/${DAY}`))) ?? []
  return shown === '' || name === 'another-signature' ? BEACON.sign(closeRecord(plan, openRecord(plan)).round) : shown
}

/** Returns what the program prints. */
export function runTwin(folder: string, name: string, { files, options }: Done): Promise<string> {
  const copy = path.join(folder, name)
  write(copy, files)
  const receipt = path.join(folder, `${name}.receipt`)
  if (options?.receipt !== undefined) writeFileSync(receipt, canonicalBytes(options.receipt))
  const args = [copy, DAY, '--key', ASKED.logKey, '--chain', ASKED.chainHash, '--drand', relayed(files, name)]
  const more = [
    ...(options?.receipt === undefined ? [] : ['--receipt', receipt]),
    ...(options?.witnesses ?? []).flatMap((key) => ['--witness', key]),
  ]
  return new Promise((resolve) => execFile('python3', [TWIN, ...args, ...more], (_error, out) => resolve(out)))
}
