/**
 * Writes a page from the figures of a run, beside its file: npm run lab -- fuzz --write <file>.
 * - Every measured figure of the page is in that file.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { FuzzResult } from './run.ts'

export type FuzzReport = FuzzResult & {
  readonly at: string
  readonly seconds: number
  readonly commit: string
  readonly machine: string
  readonly node: string
}

const MEANINGS: Readonly<Record<string, string>> = {
  field: 'a field',
  caller: 'the caller',
  body: 'the body',
  type: 'the content type',
  method: 'the method',
  path: 'the path',
  headers: 'headers',
  key: 'the idempotency key',
  query: 'the query',
}
const thousands = (count: number): string => count.toLocaleString('en-IN')

function pageOf(report: FuzzReport, file: string): string {
  const never = Object.entries(report.calls).filter(([, { accepted }]) => accepted === 0)
  const statuses = Object.entries(report.statuses).map(([status, count]) => `${status}: ${thousands(count)}`)
  const faults = Object.entries(report.statuses).filter(([status]) => status.startsWith('5') && status !== '503')
  const changed = report.findings.filter(({ what }) => what.startsWith('refused with')).length
  return `# Fuzzing

Written from \`${file}\` by \`npm run lab -- fuzz --write ${file}\`: the figures of one run of \`npm run lab -- fuzz --requests ${report.requests} --seed ${report.seed} --worlds ${report.worlds}${report.demo ? '' : ' --no-demo'}\`. It began on ${report.at} and took ${thousands(Math.round(report.seconds / 60))} minutes
on ${report.machine}, Node ${report.node}, at commit \`${report.commit.slice(0, 12)}\`.

| | |
| --- | --- |
| requests | **${thousands(report.requests)}** |
| accepted | ${thousands(report.accepted)} |
| refused | ${thousands(report.refused)} |
| answered 5xx | **${faults.reduce((sum, [, count]) => sum + count, 0)}** |
| answered 503, busy | ${thousands(report.shed)} |
| answers that the contract does not declare for the call | **${report.findings.length - changed}** |
| refused, and a row changed | **${changed}** |
| broken invariants of money after the run | **${report.audit.length}** |
| calls of the contract | ${Object.keys(report.calls).length}, of which ${Object.keys(report.calls).length - never.length} were accepted at least once |
| different refusals | ${report.codes.length} |
| days that passed in between | ${report.days} |

Answers: ${statuses.join(' · ')}.

## Requests

- Each is made from its call's own schemas in \`contract/\`, and sent over HTTP to the real program with a real database (${report.worlds} of them at once, each with a database of its own): ${report.demo ? 'the demo community with thirty days of rounds, ' : ''}members in every state, staff of every role with and without a step-up, and something in every list of the portal.
- ${thousands(Math.round((100 * (report.wrongs.none ?? 0)) / report.requests))} % are meant to be valid; the others are wrong in one or two ways: ${Object.entries(
    MEANINGS,
  )
    .map(([name, words]) => `${words} (${thousands(report.wrongs[name] ?? 0)})`)
    .join('; ')}.

## How it is judged

- Status, fields and codes of an answer are those of the contract.
- Triggers note each changed row while the worker is paused; after an answer of 400 and above there is no note.
- The tables of \`SET_ASIDE\` (\`lab/fuzz/changes.ts\`) and the use of a session are set aside: a refusal may change them.
- At the end the audit of money runs (\`server/src/ledger/audit\`).

A finding is printed with the request, ready to send again. A short form is part of \`npm run test:all\`.
`
}

export function writePage(figures: string, page: string): void {
  writeFileSync(page, pageOf(JSON.parse(readFileSync(figures, 'utf8')) as FuzzReport, page))
}
