/**
 * Writes the cluster's page from the figures of a run, npm run lab -- faults --cluster --write docs/cluster.md.
 * - Every measured figure of the page is in that file, or in the one with the longer lease beside it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { FaultReport, KindRow } from '../summary.ts'
import type { ClusterKind } from './cluster-faults.ts'

const MEANINGS: Readonly<Record<ClusterKind, string>> = {
  'leader-kill': "kill -9 of the leader's PostgreSQL",
  'node-kill': "kill -9 of everything on the leader's node",
  'leader-stop': "an orderly stop of the leader's Patroni and PostgreSQL",
  'leader-pause': 'the leader is paused until another node leads',
  'patroni-kill': "kill -9 of only the leader's Patroni",
  'standby-kill': 'kill -9 of everything on a standby',
  'lagging-kill': "the standbys are cut off for 2.5 s, then the leader's node is killed",
  'etcd-kill': 'kill -9 of one etcd',
  'etcd-stop': 'an orderly stop of one etcd',
  'etcd-kill-all': 'kill -9 of all three etcd, for 15 s',
  'app-kill': 'kill -9 of one instance of the product',
  'app-stop': 'an orderly stop of one instance',
  'pooler-kill': 'kill -9 of PgBouncer and HAProxy on one node',
  'cut-leader': "the network of the leader's node is cut until another leads",
  'cut-standby': 'the network of a standby is cut, and mended',
  'switch-over': 'a planned switch-over (`npm run lab -- cluster switch-over`)',
  'midnight-node-kill': "the leader's node is killed during midnight's steps",
}

const thousands = (count: number): string => count.toLocaleString('en-IN')
const seconds = (ms: number): string => (ms / 1000).toFixed(1)

const lineOf = ({ kind, cycles, cutOff, p50Ms, maxMs, maxSilenceMs }: KindRow): string =>
  `| \`${kind}\` | ${MEANINGS[kind as ClusterKind]} | ${cycles} | ${thousands(cutOff)} | ${seconds(p50Ms)} | ${seconds(maxMs)} | ${seconds(maxSilenceMs)} |`

function tableOf({ kinds }: FaultReport): string {
  const order = Object.keys(MEANINGS)
  const rows = kinds.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
  return `| fault | what happens | faults | failed calls | back p50, s | back max, s | longest silence, s |
| --- | --- | --: | --: | --: | --: | --: |
${rows.map(lineOf).join('\n')}`
}

const runOf = (report: FaultReport, options: string): string =>
  `\`npm run lab -- faults --cluster${options}\` on ${report.at}, ${thousands(Math.round(report.seconds / 60))} minutes on ${report.machine}, at commit \`${report.commit.slice(0, 12)}\` with \`--seed ${report.seed}\``

/** A complaint, except of a silence, ends its cluster before it is judged at rest; the faults before it were judged. */
const complaints = ({ findings }: FaultReport): string =>
  findings.length === 0 ? '' : `\n${findings.flatMap(({ kind, told }) => told.map((text) => `- \`${kind}\`: ${text}`)).join('\n')}\n`

function pageOf(report: FaultReport, stock: FaultReport | undefined): string {
  const { totals } = report
  const answers = Object.entries(report.faultAnswers).map(([status, count]) => `${status}: ${thousands(count)}`)
  const controls = report.controls.map(
    ({ control, cycles, found }) =>
      `\`${control}\`: ${found === undefined ? '**not found**' : `lost commits found after ${cycles} ${cycles === 1 ? 'fault' : 'faults'}`}`,
  )
  return `# Fault injection on a cluster

Written by \`npm run lab -- faults --cluster --write docs/cluster.md\`: the figures of one run.
${runOf(report, '')}.

| | |
| --- | --- |
| faults | **${thousands(totals.cycles)}** |
| acknowledged operations | **${thousands(totals.acknowledged)}** |
| lost; doubled; requested by nobody; broken invariants; complaints of the harness | **${totals.lost}; ${totals.doubled}; ${totals.strange}; ${totals.broken}; ${totals.complaints}** |
${complaints(report)}
## The cluster

\`npm run lab -- cluster\`: three nodes of [the runbook](runbooks/failover.md), with networks of their own on one machine. A commit waits for both standbys ([decision 36](decisions/0036-a-commit-waits-for-both-standbys.md)). The leader's lease is ${report.leaseSeconds} s.

${report.clients} clients act for ${report.members} members, with the journal and the judge of [reliability.md](reliability.md).

## The faults

- **Back**: from the fault to the first acknowledgement of a call that left after it.
- **Longest silence**: the longest time without an acknowledgement to any client.${report.silenceMaxMs === undefined ? '' : ` More than ${report.silenceMaxMs / 1000} s is a complaint.`}
- **Failed calls**: the first try got no definite answer; clients repeated them with the same key.

${tableOf(report)}

Answers of 500 and above: ${answers.length === 0 ? 'none' : answers.join(', ')}. All nodes share one machine; a kill -9 is not a power cut.

**The harness can fail.** Before the faults the same judge sees commits that do not wait for standbys (\`synchronous_commit = local\`), under \`lagging-kill\`. ${controls.join('; ')}.
${
  stock === undefined
    ? ''
    : `
## With Patroni's own shortest lease

Patroni raises a lease below 20 s to 20 s; lab/cluster lifts that bound. Without that: ${runOf(stock, ` --lease ${stock.leaseSeconds}`)}. **${thousands(stock.totals.cycles)}** faults, **${thousands(stock.totals.acknowledged)}** acknowledged, **${stock.totals.lost}** lost, **${stock.totals.doubled}** doubled.

${tableOf(stock)}
`
}`
}

/** Writes the page from the figures of the newest runs. */
export function writeClusterPage(page: string): void {
  const file = '.build/cluster.json'
  const read = (name: string): FaultReport => JSON.parse(readFileSync(name, 'utf8')) as FaultReport
  const longer = file.replace(/\.json$/, '-lease-20.json')
  writeFileSync(page, pageOf(read(file), existsSync(longer) ? read(longer) : undefined))
}
