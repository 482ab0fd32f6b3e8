/**
 * npm run lab -- faults: injects faults into a running server and its database, and counts losses, doubles and broken invariants.
 * - The run is limited by cycles and by minutes.
 * - The exit code is 1 after any finding, and when a control was not found. In a cluster a silence above the lease + 7 s is a finding.
 * - --cycles 200  --minutes 30  --seed 7  --kinds server-kill,cut-all  --clients 8  --instances 2
 * - --cluster  --lease 8: the cluster of lab/cluster instead, with faults of its own.
 * - --write: writes the figures into docs/reliability.md; of a cluster into docs/cluster.md.
 */
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { endEverything } from '../../e2e/harness/program.ts'
import { clusterCampaign } from './cluster/run.ts'
import { CONTROLS, runControl } from './controls.ts'
import { type RunResult, runOnServers } from './cycles.ts'
import { kindsFrom, planOf } from './plan.ts'
import { figuresOf } from './report.ts'
import { measuredHere, writeFigures } from '../page.ts'
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
    write: { type: 'boolean', default: false },
  },
})

const instances = Number(values.instances)
const command = [
  'npm run lab -- faults',
  ...(values.cluster ? ['--cluster'] : []),
  ...(instances > 1 ? [`--instances ${instances}`] : []),
].join(' ')

const ON_SERVERS: Campaign = {
  kinds: KINDS,
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
const logFile = '.build/faults.log'
mkdirSync('.build', { recursive: true })
rmSync(logFile, { force: true })

const results: RunResult[] = []
const controls: ControlResult[] = []

function report(): FaultReport {
  return summarise(results, controls, {
    measured: measuredHere(),
    seconds: Math.round((Date.now() - began) / 1000),
    seed,
    clients: Number(values.clients),
    members: MEMBERS,
    ...(campaign.silenceMaxMs === undefined ? {} : { silenceMaxMs: campaign.silenceMaxMs }),
  })
}

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
  const { totals } = report()
  say(
    `${totals.cycles} cycles, ${totals.acknowledged} acknowledged, ${totals.lost} lost, ${totals.doubled} doubled, ${totals.broken} broken`,
  )
}
const left = await endEverything()
const whole = report()
const figures = figuresOf(whole, command)
say(figures)
for (const complaint of left) say(complaint)
say(`the servers' output is in ${logFile}`)
if (values.write) writeFigures(values.cluster ? 'cluster.md' : 'reliability.md', command, figures)
process.exit(whole.clean ? 0 : 1)
