/**
 * npm run upgrade-test: replaces servers of the version before by this one, under load, with the way back, and judges the end.
 * - The exit code is 1 after any finding, and when the control was not found.
 * - --from v1.0.0  --servers 3  --clients 8  --seconds 10  --seed 7  --json file
 * - --write docs/upgrade.md: only writes that page from the figures of the newest run.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { commitHere, processorsHere } from '../../e2e/harness/measured-on.ts'
import { endEverything, ROOT } from '../../e2e/harness/program.ts'
import { formerVersion } from './history.ts'
import { countOf, isSound, type UpgradeReport, writePage } from './report.ts'
import { upgradeFrom, upgradeThatDropsColumn } from './run.ts'

const MEMBERS = 120

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    servers: { type: 'string', default: '3' },
    clients: { type: 'string', default: '8' },
    /** How long each state stays under load. */
    seconds: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    write: { type: 'string' },
  },
})

const FIGURES = '.build/upgrade.json'
if (values.write !== undefined) {
  writePage(FIGURES, values.write)
  process.exit(0)
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const began = Date.now()
const [servers, clients, seed] = [values.servers, values.clients, values.seed].map(Number) as [number, number, number]
const options = { seed, servers, clients, members: MEMBERS }
mkdirSync(path.dirname(path.resolve(FIGURES)), { recursive: true })
const logFile = `${FIGURES.replace(/\.json$/, '')}.log`

let stopped = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (stopped = true))
const goesOn = (): boolean => !stopped

function endWith(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

const former = formerVersion(ROOT, values.from)
if (typeof former === 'string') endWith(former)
say(`upgrade-test with --seed ${seed}`)
const { finding: seen } = await upgradeThatDropsColumn({ ...options, servers: 2, members: 40, keepMs: 500, goesOn })
const found = seen?.told.find((words) => words.includes(': 500 '))
say(`control, a migration that drops a column: ${found === undefined ? 'NOT FOUND' : `found: ${found}`}`)
const outcome = await upgradeFrom(former, {
  ...options,
  goesOn,
  keepMs: Number(values.seconds) * 1000,
  say,
  log: (text) => writeFileSync(logFile, text),
})
for (const complaint of await endEverything()) say(complaint)
const report: UpgradeReport = {
  at: new Date(began).toISOString(),
  seconds: Math.round((Date.now() - began) / 1000),
  commit: commitHere(),
  machine: `${processorsHere()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}`,
  node: process.version,
  ...options,
  ...outcome,
  control: { found },
}
writeFileSync(FIGURES, `${JSON.stringify(report, undefined, 2)}\n`)
for (const { kind, seconds, acknowledged, failed, silenceMs } of report.cycles)
  say(
    `${kind.padEnd(20)}${seconds.toFixed(0).padStart(4)} s${String(acknowledged).padStart(7)} acknowledged${String(failed).padStart(4)} failed requests   silent at most ${silenceMs.toFixed(0)} ms`,
  )
const { finding, days } = report
const counts = (['lost', 'doubled', 'strange', 'broken', 'told'] as const).map((what) => `${countOf(finding, what)} ${what}`)
say(`${report.fromVersion} → ${report.toVersion}: ${report.acknowledged} acknowledged, ${counts.join(', ')}; ${days.length} days verified`)
say(`written to ${FIGURES}; the servers' output is in ${logFile}`)
process.exit(isSound(report) ? 0 : 1)
