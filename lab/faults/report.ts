/** The figures of a run in Markdown, as it prints them and as docs/reliability.md and docs/cluster.md show them. */
import { count, table } from '../page.ts'
import type { FaultReport } from './summary.ts'

/** The description of each fault, in the order of the table. */
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

const seconds = (ms: number): string => (ms / 1000).toFixed(1)

function faultsOf({ kinds }: FaultReport): string {
  const order = Object.keys(MEANINGS)
  const rows = kinds.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
  return table(
    ['fault', 'what happens', 'faults', 'failed calls', 'back p50, s', 'back max, s', 'longest silence, s'],
    rows.map(({ kind, cycles, cutOff, p50Ms, maxMs, maxSilenceMs }) => [
      `\`${kind}\``,
      MEANINGS[kind] ?? '',
      count(cycles),
      count(cutOff),
      seconds(p50Ms),
      seconds(maxMs),
      seconds(maxSilenceMs),
    ]),
  )
}

export function figuresOf(report: FaultReport, command: string): string {
  const { totals, controls, findings } = report
  const answers = Object.entries(report.faultAnswers).map(([status, times]) => `${status}: ${count(times)}`)
  const found = controls.map(
    ({ control, shows, cycles, found: what }) =>
      `\`${control}\`: ${what === undefined ? '**not found**' : `${shows} operations found, after faults: ${cycles}`}`,
  )
  return [
    `\`${command} --seed ${report.seed}\`, ${report.measured}, ${Math.round(report.seconds / 60)} minutes with ${report.clients} clients for ${report.members} members:`,
    `**${count(totals.cycles)}** faults, **${count(totals.acknowledged)}** acknowledged operations, **${totals.lost}** lost, **${totals.doubled}** doubled, **${totals.strange}** requested by nobody, **${totals.broken}** broken invariants, **${totals.complaints}** wrong answers. Faults without a call in flight, not counted: ${totals.idle}.`,
    '',
    ...findings.flatMap(({ kind, cycle, told }) => told.map((text) => `- \`${kind}\`, fault ${cycle}: ${text}\n`)),
    faultsOf(report),
    '',
    `Answers of 500 and above, each repeated by its client: ${answers.join(', ') || 'none'}. Weaknesses made on purpose: ${found.join('; ') || 'none'}.`,
  ].join('\n')
}
