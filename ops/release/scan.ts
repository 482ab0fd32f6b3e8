/**
 * The scan of a release: npm's audit of the packages of production in the lockfile, and their inventory for other scanners (CycloneDX).
 * - A registry that answers no audit is a finding too: without a scan nobody knows.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

type Audit = {
  readonly message?: string
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>
}
const OF_PRODUCTION = ['--omit=dev', '--package-lock-only']

const npm = (root: string, words: readonly string[]): string =>
  spawnSync('npm', words, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26, shell: process.platform === 'win32' }).stdout

/** A line for each vulnerable package in the answer of `npm audit --json`. */
function findingsOf(answer: string): string[] {
  const { message, vulnerabilities } = answer.startsWith('{') ? (JSON.parse(answer) as Audit) : { message: answer.trim() }
  if (vulnerabilities === undefined) return [`the registry answered no audit: ${message === '' ? 'nothing' : message}`]
  return Object.entries(vulnerabilities).map(([name, { severity, range }]) => `${name} ${range}: ${severity}`)
}

export const scan = (root: string): string[] => findingsOf(npm(root, ['audit', ...OF_PRODUCTION, '--json']))

export function writeInventory(root: string): string {
  const file = path.join(root, '.build/release/sbom.cdx.json')
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, npm(root, ['sbom', ...OF_PRODUCTION, '--sbom-format=cyclonedx']))
  return file
}
