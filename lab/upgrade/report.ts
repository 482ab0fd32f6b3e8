/** The figures of an upgrade in Markdown, as it prints them and as docs/upgrade.md shows them. */
import type { Finding } from '../faults/cycles.ts'
import type { Circumstances } from '../faults/summary.ts'
import { count, table } from '../page.ts'
import type { Step } from './steps.ts'
import type { Outcome } from './run.ts'

export type UpgradeReport = Outcome &
  Circumstances & {
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

const countOf = (finding: Finding | undefined, what: 'lost' | 'doubled' | 'strange' | 'broken' | 'told'): number =>
  finding?.[what].length ?? 0

/** Every step was taken, and nothing was found but the control. */
export const isSound = ({ finding, control, cycles, steps }: UpgradeReport): boolean =>
  finding === undefined && control.found !== undefined && cycles.length === steps

export function figuresOf(report: UpgradeReport): string {
  const { finding, cycles, from, added, days, control } = report
  const failed = cycles.reduce((sum, cycle) => sum + cycle.failed, 0)
  const steps = cycles.map(({ kind, seconds, acknowledged, failed: broken, silenceMs }) => [
    `\`${kind}\``,
    MEANINGS[kind as Step],
    seconds.toFixed(0),
    count(acknowledged),
    String(broken),
    (silenceMs / 1000).toFixed(1),
  ])
  return [
    `${report.measured}, ${Math.round(report.seconds / 60)} minutes, with \`--seed ${report.seed}\`, ${report.servers} servers and ${report.clients} clients for ${report.members} members: from commit \`${from.slice(0, 12)}\` (${report.fromVersion}) to this one (${report.toVersion}), which brought ${added.length} migrations.`,
    `**${count(failed)}** failed requests, **${count(report.acknowledged)}** acknowledged operations, **${countOf(finding, 'lost')}** lost, **${countOf(finding, 'doubled')}** doubled, **${countOf(finding, 'strange')}** requested by nobody, **${countOf(finding, 'broken')}** broken invariants, **${countOf(finding, 'told')}** complaints of the harness; **${days.length}** days that ended, accepted by both verifiers. A new version whose migration drops a column that the old servers use: ${control.found === undefined ? '**not found**' : 'found'}.`,
    '',
    table(['step', 'what happens', 'seconds', 'acknowledged', 'failed requests', 'longest silence, s'], steps),
  ].join('\n')
}
