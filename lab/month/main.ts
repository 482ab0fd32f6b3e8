/**
 * npm run lab -- month: a month of payments and AutoPay with every fault of the gateway, through settlements and the bank's statement.
 * - The clearing accounts must end at what gateway and bank have by their own records, with nothing left to do.
 * - The audit is clean, both verifiers accept each published day, and no log has a personal datum or a secret.
 * - The exit code is 1 after any finding.
 *
 *   --payments 10000  --mandates 2000  --days 30  --seed 7  --minutes 90  --no-faults
 */
import { parseArgs } from 'node:util'
import { endEverything } from '../../e2e/harness/program.ts'
import { type Account, differenceOf } from './judge.ts'
import { runMonth } from './month.ts'

const { values } = parseArgs({
  allowNegative: true,
  options: {
    payments: { type: 'string', default: '10000' },
    mandates: { type: 'string', default: '2000' },
    days: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '90' },
    faults: { type: 'boolean', default: true },
  },
})

const say = (line: string): void => void process.stdout.write(`${line}\n`)
let stopped = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    stopped = true
  })
const began = performance.now()
const until = began + Number(values.minutes) * 60_000

const rupees = (paise: number): string => (paise / 100).toFixed(2).padStart(14)
const row = (one: Account): string =>
  `${one.account.padEnd(18)}${rupees(one.ours)}${rupees(one.theirs)}${rupees(one.kept)}${rupees(differenceOf(one))}`

say(`a month of ${values.payments} payments and ${values.mandates} mandates with --seed ${values.seed}, at most ${values.minutes} minutes`)
const result = await runMonth({
  payments: Number(values.payments),
  mandates: Number(values.mandates),
  days: Number(values.days),
  seed: Number(values.seed),
  faults: values.faults,
  say: (line) => say(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${line}`),
  goesOn: () => !stopped && performance.now() < until,
})
const left = await endEverything()
say(
  `${result.outside.payments} payments, ${result.mandates} mandates, ${result.outside.debits} debits; ` +
    `${result.gone.accounts} accounts deleted, ${result.gone.paid} payments by hand to their owners; ` +
    `${result.verifiedDays} days verified twice; ${result.logLines} lines of logs scanned`,
)
say(`${'rupees'.padEnd(18)}${['ours', 'theirs', 'found', 'difference'].map((word) => word.padStart(14)).join('')}`)
for (const one of result.accounts) say(row(one))
for (const finding of [...result.findings, ...left]) say(`✗ ${finding}`)
if (stopped || performance.now() > until) say('stopped before its end')
process.exit(result.findings.length + left.length === 0 && !stopped ? 0 : 1)
