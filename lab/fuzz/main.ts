/**
 * npm run lab -- fuzz: sends requests made from the contract, and counts answers that it does not declare, 5xx, and refusals that changed a row.
 * - The exit code is 1 after any finding.
 * - --requests 100000  --seed 7  --minutes 60  --no-demo
 */
import { parseArgs } from 'node:util'
import { endEverything } from '../../e2e/harness/program.ts'
import { runFuzz } from './run.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'no-demo': { type: 'boolean', default: false },
    minutes: { type: 'string', default: '120' },
  },
})

const say = (line: string): void => void process.stdout.write(`${line}\n`)
let stopped = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (stopped = true))

const until = Date.now() + Number(values.minutes) * 60_000
say(`fuzz with --seed ${values.seed}: ${values.requests} requests, at most ${values.minutes} minutes`)
const result = await runFuzz({
  requests: Number(values.requests),
  seed: Number(values.seed),
  // With every second seed staff pay by hand.
  byHand: Number(values.seed) % 2 === 1,
  demo: !values['no-demo'],
  goesOn: () => !stopped && Date.now() < until,
  say,
})
for (const complaint of await endEverything()) say(complaint)
for (const { call, what, times } of result.findings) say(`${call}, ${times} times: ${what}`)
for (const broken of result.audit) say(`broken: ${broken}`)
say(`\n${JSON.stringify({ ...result, calls: undefined, codes: result.codes.length, findings: result.findings.length })}`)
process.exit(result.findings.length === 0 && result.audit.length === 0 ? 0 : 1)
