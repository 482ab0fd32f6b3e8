/**
 * npm run faults: injects faults into a running server and its database, and counts losses, doubles and broken invariants.
 * - The run is limited by cycles and by minutes.
 * - The exit code is 1 after any finding, and when a control was not found. In a cluster a silence above the lease + 7 s is a finding.
 * - --cycles 200  --minutes 30  --seed 7  --kinds server-kill,cut-all  --clients 8  --instances 2  --json file
 * - --cluster  --lease 8: the cluster of lab/cluster instead, with faults of its own.
 * - --write docs/reliability.md: only writes that page from the figures of the newest runs; --cluster --write docs/cluster.md: the cluster's.
 */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { commitHere, processorsHere } from '../../e2e/harness/measured-on.ts'
import { endEverything } from '../../e2e/harness/program.ts'
import { writeClusterPage } from './cluster/report.ts'
import { clusterCampaign } from './cluster/run.ts'
import { CONTROLS, runControl } from './controls.ts'
import { type RunResult, runOnServers } from './cycles.ts'
import { kindsFrom, planOf } from './plan.ts'
import { writePage } from './report.ts'
import { type Campaign, type ControlResult, type FaultReport, summarise } from './summary.ts'
import { type Kind, KINDS } from './faults.ts'

const RUN_CYCLES = 80
const MEMBERS = 360

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '200' },
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    kinds: { type: 'string' },
    clients: { type: 'string', default: '8' },
    instances: { type: 'string', default: '1' },
    cluster: { type: 'boolean', default: false },
    lease: { type: 'string', default: '8' },
    write: { type: 'string' },
  },
})

const instances = Number(values.instances)
/** The figures of the newest run of each kind. */
const FIGURES = `.build/${values.cluster ? `cluster${values.lease === '20' ? '-lease-20' : ''}` : `reliability${instances > 1 ? '-two-instances' : ''}`}.json`

if (values.write !== undefined) {
  if (values.cluster) writeClusterPage(values.write)
  else writePage(values.write)
  process.exit(0)
}

const ON_SERVERS: Campaign = {
  kinds: KINDS,
  instances,
  controls: CONTROLS.map((control) => (seed) => runControl(control, seed)),
  run: (options) => runOnServers({ ...options, instances, kinds: options.kinds as readonly Kind[] }),
}
const chosen = values.cluster ? await clusterCampaign(Number(values.lease)) : ON_SERVERS
if (typeof chosen === 'string') {
  process.stderr.write(`${chosen}\n`)
  process.exit(1)
}
const campaign: Campaign = chosen

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const began = Date.now()
const until = began + Number(values.minutes) * 60_000
const seed = Number(values.seed)
const wanted = Number(values.cycles)
const kinds = kindsFrom(values.kinds, campaign.kinds)
let stopped = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    stopped = true
  })
}
const goesOn = (): boolean => !stopped && Date.now() < until

/** The servers' output. */
const logFile = `${FIGURES.replace(/\.json$/, '')}.log`
rmSync(logFile, { force: true })

const results: RunResult[] = []
const controls: ControlResult[] = []

function report(): FaultReport {
  return summarise(results, controls, {
    at: new Date(began).toISOString(),
    seconds: Math.round((Date.now() - began) / 1000),
    commit: commitHere(),
    machine: `${processorsHere()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}`,
    node: process.version,
    seed,
    clients: Number(values.clients),
    members: MEMBERS,
    instances: campaign.instances,
    ...(campaign.leaseSeconds === undefined ? {} : { leaseSeconds: campaign.leaseSeconds }),
    ...(campaign.silenceMaxMs === undefined ? {} : { silenceMaxMs: campaign.silenceMaxMs }),
  })
}

/** Written after each system, so that an aborted run leaves its figures. */
function write(): FaultReport {
  const now = report()
  writeFileSync(FIGURES, `${JSON.stringify(now, undefined, 2)}\n`)
  return now
}

mkdirSync(path.dirname(path.resolve(FIGURES)), { recursive: true })
say(`faults with --seed ${seed}: ${wanted} cycles of ${kinds.length} kinds, at most ${values.minutes} minutes`)
for (const control of campaign.controls) {
  if (!goesOn()) break
  const result = await control(seed)
  controls.push(result)
  say(`control ${result.control}: ${result.found === undefined ? 'NOT FOUND' : `found after ${result.cycles} cycles: ${result.found}`}`)
}
const plan = planOf(kinds, seed, campaign.often)
for (let done = 0, runNumber = 0; done < wanted && goesOn(); runNumber++) {
  const planned = plan(Math.min(RUN_CYCLES, wanted - done))
  const result = await campaign.run({
    kinds: planned,
    seed: seed + runNumber,
    clients: Number(values.clients),
    members: MEMBERS,
    goesOn,
    say,
    log: (text) => appendFileSync(logFile, text),
  })
  results.push(result)
  done += Math.max(1, result.cycles.length)
  const { totals } = write()
  say(
    `${totals.cycles} cycles, ${totals.acknowledged} acknowledged, ${totals.lost} lost, ${totals.doubled} doubled, ${totals.broken} broken`,
  )
}
const left = await endEverything()
const { text, clean } = { ...write(), text: summaryText(report()) }
say(text)
for (const complaint of left) say(complaint)
say(`written to ${FIGURES}; the servers' output is in ${logFile}`)
process.exit(clean ? 0 : 1)

function summaryText({ totals, kinds: rows, findings }: FaultReport): string {
  const lines = rows.map(
    ({ kind, cycles, inFlight, cutOff, p50Ms, maxMs, maxSilenceMs }) =>
      `${kind.padEnd(22)}${String(cycles).padStart(6)} cycles${String(inFlight).padStart(7)} in flight${String(cutOff).padStart(7)} cut off   back p50 ${p50Ms} ms, max ${maxMs} ms, silent ${maxSilenceMs} ms`,
  )
  const told = findings.flatMap((finding) => finding.told.map((text) => `${finding.kind}, cycle ${finding.cycle}: ${text}`))
  return [...lines, JSON.stringify(totals), ...told].join('\n')
}
