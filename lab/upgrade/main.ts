/**
 * npm run lab -- upgrade: replaces servers of the version before by this one, under load, with the way back, and judges the end.
 * - The exit code is 1 after any finding, and when the control was not found.
 * - --from v1.0.0  --servers 3  --clients 8  --seconds 10  --seed 7
 * - --write: writes the figures into docs/upgrade.md.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { endEverything, ROOT } from '../../e2e/harness/program.ts'
import { formerVersion } from './history.ts'
import { measuredHere, writeFigures } from '../page.ts'
import { figuresOf, isSound, type UpgradeReport } from './report.ts'
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
    write: { type: 'boolean', default: false },
  },
})

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const began = Date.now()
const [servers, clients, seed] = [values.servers, values.clients, values.seed].map(Number) as [number, number, number]
const options = { seed, servers, clients, members: MEMBERS }
mkdirSync('.build', { recursive: true })
const logFile = '.build/upgrade.log'

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
  measured: measuredHere(),
  seconds: Math.round((Date.now() - began) / 1000),
  ...options,
  ...outcome,
  control: { found },
}
const figures = figuresOf(report)
say(figures)
say(`the servers' output is in ${logFile}`)
if (values.write) writeFigures('upgrade.md', 'npm run lab -- upgrade', figures)
process.exit(isSound(report) ? 0 : 1)
