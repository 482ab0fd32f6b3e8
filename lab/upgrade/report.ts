/** Writes docs/upgrade.md from the figures of a run: npm run lab -- upgrade --write docs/upgrade.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Cycle, Finding } from '../faults/cycles.ts'
import type { Circumstances } from '../faults/summary.ts'
import type { Step } from './steps.ts'
import type { Outcome } from './run.ts'

/** `commit`: the new version's. */
export type UpgradeReport = Outcome &
  Omit<Circumstances, 'instances' | 'leaseSeconds'> & {
    readonly servers: number
    readonly control: { readonly found: string | undefined }
  }

const MEANINGS: Readonly<Record<Step, string>> = {
  'old-alone': 'the old version serves alone',
  'first-new': 'the first server is replaced by the new version, whose start migrates the database',
  'night-old-and-new': 'midnight IST passes with one new server: close, draw, settle, Auto Participate',
  'others-new': 'the other servers are replaced, one after the other',
  'first-back': 'the way back: the first server starts in the old version, on the newer schema',
  'night-new-and-old': 'midnight passes with one old server',
  'others-back': 'the other servers go back',
  'night-old-again': 'midnight passes with the old version alone, on the newer schema',
  'all-new-again': 'all servers are replaced by the new version again',
  'night-new-alone': 'midnight passes with the new version alone',
}

const thousands = (count: number): string => count.toLocaleString('en-IN')

const lineOf = ({ kind, seconds, acknowledged, failed, silenceMs }: Cycle): string =>
  `| \`${kind}\` | ${MEANINGS[kind as Step]} | ${seconds.toFixed(0)} | ${thousands(acknowledged)} | ${failed} | ${(silenceMs / 1000).toFixed(1)} |`

export const countOf = (finding: Finding | undefined, what: 'lost' | 'doubled' | 'strange' | 'broken' | 'told'): number =>
  finding?.[what].length ?? 0

/** Every step was taken, and nothing was found but the control. */
export const isSound = ({ finding, control, cycles, steps }: UpgradeReport): boolean =>
  finding === undefined && control.found !== undefined && cycles.length === steps

function pageOf(report: UpgradeReport): string {
  const { finding, cycles } = report
  return `# An upgrade under load

Written by \`npm run lab -- upgrade --write docs/upgrade.md\`: the figures of one run of \`npm run lab -- upgrade\`. It began on ${report.at} and took ${thousands(Math.round(report.seconds / 60))} minutes
on ${report.machine}, Node ${report.node}, with \`--seed ${report.seed}\`: from commit \`${report.from.slice(0, 12)}\` to \`${report.commit.slice(0, 12)}\`, which brought ${report.added.map((name) => `\`${name.replace('.sql', '')}\``).join(', ')}.

| | |
| --- | --- |
| failed requests | **${thousands(cycles.reduce((sum, { failed }) => sum + failed, 0))}** |
| acknowledged operations | **${thousands(report.acknowledged)}** |
| lost; doubled; requested by nobody; broken invariants; complaints of the harness | **${countOf(finding, 'lost')}; ${countOf(finding, 'doubled')}; ${countOf(finding, 'strange')}; ${countOf(finding, 'broken')}; ${countOf(finding, 'told')}** |
| days that ended, accepted by both verifiers | **${report.days.length}** |

## Steps

${report.servers} servers run on one database behind one address. Each is replaced as [the runbook](runbooks/upgrade.md) says; \`roz_build_info\` must then name ${report.fromVersion} and ${report.toVersion} at the right servers.

${report.clients} clients act for ${report.members} members and for administrators, with the journal and the judge of [reliability.md](reliability.md).

| step | what happens | seconds | acknowledged | failed requests | longest silence, s |
| --- | --- | --: | --: | --: | --: |
${cycles.map(lineOf).join('\n')}

The judge looks after each step. At the end every payment has arrived, \`roz audit\` ends with 0, no work is parked, no server logged an error, and both verifiers accept every day.

**The harness can fail.** The same judge sees a new version whose migration drops a column that the old servers use: ${report.control.found === undefined ? '**not found**' : 'found, by its failed requests'}.
`
}

/** The page is written beside the figures, under the same name. */
export function writePage(figures: string, page: string): void {
  writeFileSync(page, pageOf(JSON.parse(readFileSync(figures, 'utf8')) as UpgradeReport))
}
