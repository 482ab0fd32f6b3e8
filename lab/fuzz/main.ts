/**
 * npm run lab -- fuzz: sends requests made from the contract, and counts answers that it does not declare, 5xx, and refusals that changed a row.
 * - The exit code is 1 after any finding.
 * - --requests 100000  --seed 7  --worlds 2  --minutes 60  --no-demo
 * - --write PAGE: only writes a page from the figures of the newest run.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { commitHere, processorsHere } from '../../e2e/harness/measured-on.ts'
import { endEverything } from '../../e2e/harness/program.ts'
import { type FuzzReport, writePage } from './report.ts'
import { runWorlds } from './run.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    worlds: { type: 'string', default: '1' },
    'no-demo': { type: 'boolean', default: false },
    minutes: { type: 'string', default: '120' },
    write: { type: 'string' },
  },
})

const FIGURES = '.build/fuzzing.json'
if (values.write !== undefined) {
  writePage(FIGURES, values.write)
  process.exit(0)
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)
let stopped = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (stopped = true))

const began = Date.now()
const until = began + Number(values.minutes) * 60_000
say(`fuzz with --seed ${values.seed}: ${values.requests} requests, at most ${values.minutes} minutes`)
const result = await runWorlds(Number(values.worlds), {
  requests: Number(values.requests),
  seed: Number(values.seed),
  demo: !values['no-demo'],
  goesOn: () => !stopped && Date.now() < until,
  say,
})
for (const complaint of await endEverything()) say(complaint)
const report: FuzzReport = {
  at: new Date(began).toISOString(),
  seconds: Math.round((Date.now() - began) / 1000),
  commit: commitHere(),
  machine: processorsHere(),
  node: process.version,
  ...result,
}
mkdirSync(path.dirname(path.resolve(FIGURES)), { recursive: true })
writeFileSync(FIGURES, `${JSON.stringify(report, undefined, 2)}\n`)
for (const { call, what, times } of result.findings) say(`${call}, ${times} times: ${what}`)
for (const broken of result.audit) say(`broken: ${broken}`)
say(`\n${JSON.stringify({ ...result, calls: undefined, codes: result.codes.length, findings: result.findings.length })}`)
say(`written to ${FIGURES}`)
process.exit(result.findings.length === 0 && result.audit.length === 0 ? 0 : 1)
