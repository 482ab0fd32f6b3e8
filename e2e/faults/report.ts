/**
 * Writes docs/reliability.md from the figures of a run: npm run faults -- --write docs/reliability.json.
 * - Every measured figure of the page is in that file.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { ControlResult, FaultReport, KindRow } from './summary.ts'

/** The description of each fault, in the order of the page. */
const MEANINGS: Readonly<Record<string, string>> = {
  'cut-before-send': 'the line to the database is cut before the commit of money is sent',
  'cut-after-send': '… right after it was sent, before any answer',
  'cut-after-commit': '… after the database has committed it, before its answer arrives',
  'cut-all': 'every connection to the database is cut at once',
  'backend-end': 'the database ends a connection that is at work',
  'backend-kill': 'kill -9 of a process of the database: all its connections end, it recovers from its log',
  'backend-pause': 'a process of the database is stopped and goes on',
  'server-pause': 'the server is stopped and goes on',
  'server-kill': 'kill -9 of the server, started again',
  'postmaster-kill': "kill -9 of the database's first process",
  'machine-kill': 'kill -9 of the server and every process of the database at once',
  'disk-full': "the database's disk is full until somebody was refused for it",
  'midnight-passes': 'midnight IST passes: close, draw, settle, Auto Participate, while members join',
  'midnight-jumps': 'the clock jumps over midnight',
  'midnight-cut': 'midnight, and a commit whose answer is lost',
  'midnight-server-kill': 'midnight, and kill -9 of the server in it',
  'letters-duplicated': "the gateway's webhooks come five times",
  'letters-shuffled': '… late, three times and out of order',
  'letters-tampered': '… changed after they were signed',
  'letters-late': '… 1.5 s late',
  'letters-lost': '… not at all',
  'letters-early':
    'signed webhooks about orders that nobody has paid, refunds that have not ended and disputes that nobody raised, and forged ones',
  'letters-cut': 'repeated webhooks, and a commit whose answer is lost',
}

const thousands = (count: number): string => count.toLocaleString('en-IN')

const kindLine = ({ kind, cycles, inFlight, cutOff, p50Ms, maxMs }: KindRow): string =>
  `| \`${kind}\` | ${MEANINGS[kind] ?? ''} | ${thousands(cycles)} | ${thousands(inFlight)} | ${thousands(cutOff)} | ${thousands(p50Ms)} | ${thousands(maxMs)} |`

const controlLine = ({ control, shows, cycles, found }: ControlResult): string =>
  `| \`${control}\` | ${shows} | ${found === undefined ? '**not found**' : `found after ${cycles} ${cycles === 1 ? 'cycle' : 'cycles'}`} |`

function pageOf(report: FaultReport): string {
  const { totals } = report
  const deeds = Object.entries(report.deeds ?? {}).map(([kind, count]) => `${kind} ${thousands(count)}`)
  const answers = Object.entries(report.faultAnswers).map(([status, count]) => `${status}: ${thousands(count)}`)
  const order = Object.keys(MEANINGS)
  const rows = report.kinds.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
  return `# Reliability

Written from \`docs/reliability.json\` by \`npm run faults -- --write docs/reliability.json\`: the figures of one run of \`npm run faults\`. It began on ${report.at} and took ${thousands(Math.round(report.seconds / 60))} minutes
on ${report.machine}, Node ${report.node}, at commit \`${report.commit.slice(0, 12)}\` with \`--seed ${report.seed}\`.

| | |
| --- | --- |
| fault cycles | **${thousands(totals.cycles)}** |
| acknowledged operations, repetitions by key included | **${thousands(totals.acknowledged)}** |
| lost | **${totals.lost}** |
| doubled | **${totals.doubled}** |
| in the ledger, and tried by nobody | **${totals.strange}** |
| broken invariants | **${totals.broken}** |
| answers that should not have been given | **${totals.complaints}** |
| strikes that met nothing in flight, not counted as cycles | ${totals.idle} |

## What a cycle is

${report.clients} clients join, add money and pay it at the gateway's sandbox, withdraw, ask for refunds, decide withdrawals, refunds and payments in suspense as administrators, read their histories and repeat keys; strangers pay orders that are none of ours and payers dispute at their banks; for ${report.members} members; each asks again, with its key, until it is answered for good.
A fault strikes while calls that move money are on their way; then what broke is mended. When a call that began after the fault has been acknowledged, the judge looks: every invariant of money (\`server/src/ledger/audit\`), and acknowledged ⇔ present.
Every try stands in a file before it leaves, every acknowledgement is on the disk before its client goes on: what was acknowledged must be in the ledger as it was told, once, and nothing may be there that nobody tried.
Every few dozen cycles the load stops, the clock goes on by hours, and every payment made at the gateway must have reached its wallet, every transfer, refund and dispute must stand here as it stands there, every payment of a stranger that we were told of must wait in suspense; then a new server with a new database takes over.

${deeds.length === 0 ? '' : `Acknowledged: ${deeds.join(' · ')}.\n\n`}## The faults

Recovery is the time from the end of the fault (a kill, a cut; for what is held on purpose, its release) to the first acknowledgement of a call that began after it. It includes starting the server again, and the machine's other work.

| fault | what happens | cycles | in flight | cut off | recovery p50, ms | max, ms |
| --- | --- | --: | --: | --: | --: | --: |
${rows.map(kindLine).join('\n')}

${report.smallDisk ? 'The database lay on a small mounted disk of its own.' : '**The small disk could not be mounted on this machine (it needs root): `disk-full` struck nothing.**'}
Answers of 500 and above, each asked again: ${answers.length === 0 ? 'none' : answers.join(', ')}. A kill -9 takes nothing from the memory of the operating system: a power cut of a real machine is not part of this run.

## The harness can fail

Before the cycles the same judge looks at something weakened on purpose.

| weakened | shows as | |
| --- | --- | --- |
${report.controls.map(controlLine).join('\n')}

\`commits-in-memory\`: commits are answered before they are on the disk (\`synchronous_commit=off\`), and everything dies at once. \`forgotten-keys\`: clients send another key with each further try, and the server is killed.

## Do it again

\`npm run faults -- --cycles 200 --minutes 10 --kinds server-kill,cut-after-commit --seed 7\`; every option has a default. A short form is part of \`npm test\`.
`
}

/** The page is written beside the figures, under the same name. */
export function writePage(file: string): void {
  writeFileSync(file.replace(/\.json$/, '.md'), pageOf(JSON.parse(readFileSync(file, 'utf8')) as FaultReport))
}
