/**
 * Writes docs/reliability.md from the figures of a run: npm run lab -- faults --write docs/reliability.md.
 * - Every measured figure of the page is in that file, or in the file of another set-up beside it (`SETUPS`).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { ControlResult, FaultReport, KindRow } from './summary.ts'

/** The description of each fault, in the order of the page. */
const MEANINGS: Readonly<Record<string, string>> = {
  'cut-before-send': 'the database connection is cut before a commit of money is sent',
  'cut-after-send': '… directly after the commit was sent, before any answer',
  'cut-after-commit': '… after the database has committed, before its answer arrives',
  'cut-all': 'every database connection is cut at once',
  'backend-end': 'the database ends a busy connection',
  'backend-kill': 'kill -9 of one database process: the database recovers from its log',
  'backend-pause': 'a database process is paused and resumed',
  'server-pause': 'the server is paused and resumed',
  'server-kill': 'kill -9 of the server, and a restart',
  'postmaster-kill': "kill -9 of the database's first process",
  'machine-kill': 'kill -9 of server and database at once',
  'disk-full': "the database's disk is full until a request is refused",
  'midnight-passes': 'midnight passes while members join',
  'midnight-jumps': 'the clock jumps over midnight',
  'midnight-cut': 'midnight, and the answer of a commit is lost',
  'midnight-server-kill': 'kill -9 of the server during midnight',
  'webhooks-duplicated': 'each webhook is delivered five times',
  'webhooks-shuffled': '… three times, late and out of order',
  'webhooks-tampered': '… changed after they were signed',
  'webhooks-late': '… 1.5 s late',
  'webhooks-lost': '… not at all',
  'webhooks-early': 'signed webhooks about what has not happened, and forged ones',
  'webhooks-cut': 'repeated webhooks, and the answer of a commit is lost',
}

const thousands = (count: number): string => count.toLocaleString('en-IN')

const kindLine = ({ kind, cycles, p50Ms, maxMs }: KindRow): string =>
  `| \`${kind}\` | ${MEANINGS[kind] ?? ''} | ${thousands(cycles)} | ${thousands(p50Ms)} | ${thousands(maxMs)} |`

const controlLine = ({ control, shows, cycles, found }: ControlResult): string =>
  `| \`${control}\` | ${shows} | ${found === undefined ? '**not found**' : `found after ${cycles} ${cycles === 1 ? 'cycle' : 'cycles'}`} |`

type Setup = { readonly name: string; readonly heading: string; readonly options: string; readonly words: string }
/** Other set-ups under the same faults and the same judge: `reliability-<name>.json` beside the first file. */
const SETUPS: readonly Setup[] = [
  {
    name: 'two-instances',
    heading: 'Two instances on one database',
    options: '--instances 2',
    words: `Two servers run behind one address that gives each new connection to the next of them. A fault of the server hits one, and about every third time both.`,
  },
]

const listed = (rows: readonly KindRow[]): string => {
  const order = Object.keys(MEANINGS)
  return rows
    .toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
    .map(kindLine)
    .join('\n')
}

const HEAD = `| fault | what happens | cycles | recovery p50, ms | max, ms |
| --- | --- | --: | --: | --: |`

function setupSection({ heading, options, words }: Setup, report: FaultReport): string {
  const { totals, controls } = report
  const found = controls.filter((control) => control.found !== undefined).length
  const slowest = report.kinds.toSorted((a, b) => b.maxMs - a.maxMs)[0] as KindRow
  return `## ${heading}

${words}

\`npm run lab -- faults ${options}\` on ${report.at}, ${thousands(Math.round(report.seconds / 60))} minutes, at commit \`${report.commit.slice(0, 12)}\` with \`--seed ${report.seed}\`:
**${thousands(totals.cycles)}** cycles, **${thousands(totals.acknowledged)}** acknowledged operations, **${totals.lost}** lost, **${totals.doubled}** doubled, **${totals.strange}** requested by nobody, **${totals.broken}** broken invariants, **${totals.complaints}** wrong answers. ${found} of ${controls.length} weaknesses were found before it. The slowest recovery, after \`${slowest.kind}\`, took ${thousands(slowest.maxMs)} ms.
`
}

function pageOf(report: FaultReport, others: readonly string[]): string {
  const { totals } = report
  const answers = Object.entries(report.faultAnswers).map(([status, count]) => `${status}: ${thousands(count)}`)
  return `# Reliability

Written by \`npm run lab -- faults --write docs/reliability.md\`: the figures of one run of \`npm run lab -- faults\`. It began on ${report.at} and took ${thousands(Math.round(report.seconds / 60))} minutes
on ${report.machine}, Node ${report.node}, at commit \`${report.commit.slice(0, 12)}\` with \`--seed ${report.seed}\`.

| | |
| --- | --- |
| fault cycles | **${thousands(totals.cycles)}** |
| acknowledged operations | **${thousands(totals.acknowledged)}** |
| lost; doubled; requested by nobody; broken invariants; wrong answers | **${totals.lost}; ${totals.doubled}; ${totals.strange}; ${totals.broken}; ${totals.complaints}** |
| faults without a call in flight, not counted as cycles | ${totals.idle} |

## A cycle

- ${report.clients} clients act for ${report.members} members and for administrators. Strangers pay orders that are not ours; payers dispute payments; AutoPay debits some members.
- A fault is injected while calls that move money are in flight, then repaired. Each client repeats its call with the same key.
- Then the judge checks every invariant of money (\`server/src/ledger/audit\`), and that acknowledged ⇔ present: clients write each request and acknowledgement to a file first.
- Every few dozen cycles the clock moves on by hours, and payments, transfers, refunds and disputes must agree with the gateway.

## The faults

Recovery: from the end of the fault to the first acknowledgement of a call that began later.

${HEAD}
${listed(report.kinds)}

${report.smallDisk ? 'The database was on a small mounted disk of its own.' : '**The small disk could not be mounted on this machine (it needs root): `disk-full` was not injected.**'}
Answers of 500 and above, each repeated by its client: ${answers.length === 0 ? 'none' : answers.join(', ')}. A kill -9 is not a power cut.

${others.join('\n')}
## The harness can fail

Before the cycles the same judge must find a weakness made on purpose.

| weakened | shows as | |
| --- | --- | --- |
${report.controls.map(controlLine).join('\n')}

\`commits-in-memory\` is \`synchronous_commit=off\`, and every process is killed at once; \`forgotten-keys\` repeats a call with a new key. A short form of all this is part of \`npm run test:all\`.
`
}

/** Writes the page from the figures of the newest runs. */
export function writePage(page: string): void {
  const file = '.build/reliability.json'
  const read = (name: string): FaultReport => JSON.parse(readFileSync(name, 'utf8')) as FaultReport
  const others = SETUPS.flatMap((setup) => {
    const beside = file.replace(/\.json$/, `-${setup.name}.json`)
    return existsSync(beside) ? [setupSection(setup, read(beside))] : []
  })
  writeFileSync(page, pageOf(read(file), others))
}
