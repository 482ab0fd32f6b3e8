/**
 * `npm run bench`: measures every published speed figure in one run on one server.
 *
 * - Figures are ratios to pgbench, the empty server or the peer.
 * - The run writes the figures of docs/performance.md.
 * - `--quick` uses a tenth of the members and writes nothing.
 */
import { sql } from '@roz/server/db/sql.ts'
import { passDay, today, watchDay } from './days.ts'
import { batchedJoins, oneAtATime, singleJoins, weighJoins } from './engine.ts'
import {
  comeToRest,
  JOIN,
  type Joined,
  joinRequests,
  joinsAtRate,
  measureJoins,
  measurePage,
  measureReads,
  newPeerRound,
  percentilesOf,
  preparePeer,
  typicalAnswer,
} from './http.ts'
import { preparePgbench } from './pgbench.ts'
import { complaints, type Program, startEmpty, startPeer, startProduct } from './processes.ts'
import { finish, median, type Results, type Taken } from './results.ts'
import { addHistory, addMembers, openSetUp, type SetUp } from './set-up.ts'
import { endStarts, secondStarts } from './second-start.ts'

const quick = process.argv.includes('--quick')
const SIZE = quick
  ? {
      starts: 1,
      repeats: 2,
      warmUps: 4,
      peerWarmSeconds: 4,
      compared: 3,
      joins: 10_000,
      active: 21_000,
      engine: 10_000,
      single: 2_000,
      alone: 1_000,
      weigh: 2_000,
      auto: 20_000,
      all: 100_000,
      seconds: 2,
      pgbenchSeconds: 2,
      rates: 2,
      rateSeconds: 4,
    }
  : {
      starts: 3,
      repeats: 3,
      // Each program still speeds up for this many warm-ups, while V8 compiles its hot code.
      warmUps: 4,
      peerWarmSeconds: 8,
      // Many short repeats: a shared machine changes speed within seconds, and all three programs must see the same speed.
      compared: 7,
      joins: 15_000,
      active: 60_000,
      engine: 22_000,
      single: 3_000,
      alone: 2_000,
      weigh: 15_000,
      auto: 100_000,
      all: 1_000_000,
      seconds: 2,
      pgbenchSeconds: 2,
      rates: 3,
      rateSeconds: 3,
    }
const HISTORY = 10_000
/** Index of the member with the long history, far behind all others. */
const READER = 5_000_000

/** Product and empty server use different halves of the members, so requests to both extend sessions of their own. */
const FIRST_JOINERS = 64
const joiners = (): Buffer[] => joinRequests(JOIN, FIRST_JOINERS, FIRST_JOINERS + SIZE.joins)
const lookers = (): Buffer[] => joinRequests(JOIN, SIZE.active / 2, SIZE.active / 2 + SIZE.joins)

const began = performance.now()
const say = (text: string): void => {
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}\n`)
}

const setUp = await openSetUp()
const programs: Program[] = []
const keep = (program: Program): Program => {
  programs.push(program)
  return program
}
let ending: Promise<void> | undefined
let isStopped = false
/** Runs once, on a signal, a failure or the normal end. */
const end = (): Promise<void> => (ending ??= endAll())
async function endAll(): Promise<void> {
  await endStarts()
  for (const program of programs.splice(0).reverse()) await program.stop()
  await setUp.stop()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isStopped = true
    void end().finally(() => process.exit(130))
  })
}

try {
  const results = await measureAll(setUp)
  finish(results, { write: !quick })
} catch (error) {
  // After a signal, calls in flight fail: report nothing.
  if (!isStopped) {
    process.stderr.write(`${complaints(setUp)}\n`)
    throw error
  }
} finally {
  await end()
}

async function measureAll(at: SetUp): Promise<Results> {
  const starts = await secondStarts(at.folder, SIZE.starts)
  say(`a second npm start: ${starts.map((seconds) => seconds.toFixed(1)).join(', ')} s`)
  say('preparing members, sessions and keys')
  const pgbench = await preparePgbench(at)
  // The portal's search of members: no measured call uses it, and filling it takes longer than everything else here.
  await at.root.query(sql`drop index member_search, member_folded`)
  await addMembers(at, 0, SIZE.active, { autoJoin: false, sessions: true })
  const peer = await preparePeer(at, SIZE.active)
  await addMembers(at, READER, READER + 1, { autoJoin: false, sessions: true })
  await addHistory(at, READER, HISTORY)
  await at.root.query(sql`vacuum analyze`)
  const product = keep(await startProduct(at))
  const engine = await measureEngine(at, product, pgbench)
  say(`memory of the server: ${product.peakMb().toFixed(0)} MB`)
  const http = await measureHttp(at, product, pgbench, peer, median(engine.repeats.map((repeat) => repeat.pgbench)))
  await peer.close()
  say(`memory of the server: ${product.peakMb().toFixed(0)} MB`)
  const days = await measureDays(at, product)
  return {
    pgbench: pgbench.version,
    starts,
    engine,
    http,
    days,
    peakMb: product.peakMb(),
    seconds: (performance.now() - began) / 1000,
  }
}

async function measureEngine(at: SetUp, product: Program, pgbench: Awaited<ReturnType<typeof preparePgbench>>): Promise<Results['engine']> {
  const repeats: Results['engine']['repeats'][number][] = []
  const { engine, single, alone } = SIZE
  // The first day is a warm-up: pages enter the cache, statements are planned.
  await batchedJoins(at, { from: 0, to: engine })
  for (let repeat = 0; repeat < SIZE.repeats; repeat++) {
    await passDay(at, product)
    const before = await pgbench.perSecond(SIZE.pgbenchSeconds)
    const batched = await batchedJoins(at, { from: 0, to: engine })
    const after = await pgbench.perSecond(SIZE.pgbenchSeconds)
    const one = await singleJoins(at, { from: engine, to: engine + single })
    const { on, off } = await oneAtATime(at, { from: engine + single, to: engine + single + alone })
    repeats.push({ pgbench: (before + after) / 2, batched, single: one, on, off })
    say(
      `engine: ${batched.toFixed(0)} joins/s, pgbench ${((before + after) / 2).toFixed(0)}, one each ${one.toFixed(0)}, alone ${on.toFixed(0)} / ${off.toFixed(0)}`,
    )
  }
  const from = engine + single + alone
  const weight = await weighJoins(at, { from, to: from + SIZE.weigh }, { from: from + SIZE.weigh, to: from + 2 * SIZE.weigh })
  say(`a join weighs ${weight.bytes.toFixed(0)} B, ${weight.walBytes.toFixed(0)} B of log`)
  return { repeats, weight }
}

async function measureHttp(
  at: SetUp,
  product: Program,
  pgbench: Awaited<ReturnType<typeof preparePgbench>>,
  peerDb: Awaited<ReturnType<typeof preparePeer>>,
  p: number,
): Promise<Results['http']> {
  await passDay(at, product)
  const empty = keep(await startEmpty(at, await typicalAnswer(product, FIRST_JOINERS)))
  for (let warmUp = 0; warmUp < SIZE.warmUps; warmUp++) {
    await measureJoins(at, product, joiners(), 20)
    await measureJoins(at, empty, lookers(), 20)
    await passDay(at, product)
  }
  const day = await today(at)
  await newPeerRound(peerDb, day)
  const other = keep(await startPeer(at, day))
  // The peer has one round for all repeats: each repeat continues with members who have not joined.
  let theirs: readonly Buffer[] = joinRequests('/rounds/join', 0, SIZE.active)
  const measurePeer = async (seconds = SIZE.seconds): Promise<Joined> => {
    const joined = await measureJoins(at, other, theirs, seconds)
    theirs = theirs.slice(joined.answers)
    return joined
  }
  await measurePeer(SIZE.peerWarmSeconds)
  const repeats: Results['http']['repeats'][number][] = []
  for (let repeat = 0; repeat < SIZE.compared; repeat++) {
    await passDay(at, product)
    const turn = async (measure: () => Promise<Joined>): Promise<Joined> => {
      await comeToRest(at, [product, empty, other])
      return measure()
    }
    const look = (): Promise<Joined> => measureJoins(at, empty, lookers(), 20)
    // A later program pays for disk writes that an earlier one left over: alternate the order of the two others.
    const lookFirst = repeat % 2 === 0
    const before = await turn(lookFirst ? look : measurePeer)
    const joins = await turn(() => measureJoins(at, product, joiners(), 20))
    const after = await turn(lookFirst ? measurePeer : look)
    const [nothing, usual] = lookFirst ? [before, after] : [after, before]
    repeats.push({ empty: taken(nothing), joins: taken(joins), peer: taken(usual) })
    say(`HTTP: ${told(joins)}, empty ${told(nothing)}, peer ${told(usual)}`)
  }
  const reads = await compareReads(product, other)
  const rates = await measureRates(at, product, pgbench, { joins: median(repeats.map(({ joins }) => joins.perSecond)), pgbench: p })
  const history = {
    first: await measurePage(product, '/api/wallet/transactions?limit=20', READER, 300),
    whole: HISTORY,
  }
  return { repeats, reads, rates, history }
}

function taken({ perSecond, serverUs, databaseUs }: Joined): Taken {
  return { perSecond, serverUs, databaseUs }
}
function told({ perSecond, serverUs, databaseUs }: Joined): string {
  return `${perSecond.toFixed(0)}/s (${serverUs.toFixed(0)} + ${databaseUs.toFixed(0)} µs)`
}

/** Measures read-only calls of the product and the peer in turn. */
async function compareReads(product: Program, other: Program): Promise<Results['http']['reads']> {
  const reads: Results['http']['reads'][number][] = []
  for (const [name, mine, theirs] of [
    ['current round', '/api/rounds/current', '/rounds/current'],
    ['transactions', '/api/wallet/transactions?limit=20', '/wallet/transactions'],
  ] as const) {
    const ours = await measureReads(product, mine, 1, SIZE.active, SIZE.seconds / 2)
    const usual = await measureReads(other, theirs, 1, SIZE.active, SIZE.seconds / 2)
    reads.push({ name, product: ours.perSecond, peer: usual.perSecond })
    say(`${name}: ${ours.perSecond.toFixed(0)}/s, peer ${usual.perSecond.toFixed(0)}`)
  }
  return reads
}

/** Latencies at half of each program's throughput, from the moment a request was due. */
async function measureRates(
  at: SetUp,
  product: Program,
  pgbench: Awaited<ReturnType<typeof preparePgbench>>,
  most: { readonly joins: number; readonly pgbench: number },
): Promise<Results['http']['rates']> {
  const rates: Results['http']['rates'][number][] = []
  const [rate, pgbenchRate] = [most.joins / 2, most.pgbench / 2]
  for (let repeat = 0; repeat < SIZE.rates; repeat++) {
    await passDay(at, product)
    // Flush earlier writes now, so they do not disturb either measurement.
    await at.root.query(sql`checkpoint`)
    const usual = percentilesOf(await pgbench.atRate(pgbenchRate, SIZE.rateSeconds))
    const joins = await joinsAtRate(product, joinRequests(JOIN, 0, SIZE.active), rate, SIZE.rateSeconds)
    if (Object.keys(joins.byStatus).join() !== '200') throw new Error(`joins were answered ${JSON.stringify(joins.byStatus)}`)
    rates.push({ rate, joins: percentilesOf(joins.latencies), pgbenchRate, pgbench: usual })
    say(
      `half load: p99 ${rates.at(-1)?.joins.p99.toFixed(1)} ms at ${rate.toFixed(0)}/s, pgbench ${usual.p99.toFixed(1)} ms at ${pgbenchRate.toFixed(0)}/s`,
    )
  }
  return rates
}

async function measureDays(at: SetUp, product: Program): Promise<Results['days']> {
  await passDay(at, product)
  // New members without profiles: they get no weekly mail during the measurement.
  const [hundred, all] = [SIZE.active + SIZE.auto, SIZE.active + SIZE.all]
  await addMembers(at, SIZE.active, hundred, { autoJoin: true, sessions: false })
  await at.root.query(sql`vacuum analyze wallet`)
  const small = [await watchDay(at, product)]
  for (let repeat = 1; repeat < SIZE.repeats; repeat++) small.push(await watchDay(at, product))
  say(`auto-join of ${SIZE.auto}: ${small.map(({ autoJoin }) => autoJoin?.seconds.toFixed(2)).join(', ')} s`)
  await addMembers(at, hundred, all, { autoJoin: true, sessions: false })
  await at.root.query(sql`vacuum analyze wallet`)
  await at.root.query(sql`vacuum analyze ticket_key`)
  await at.root.query(sql`checkpoint`)
  say(`${SIZE.all} members are there`)
  const large = [await watchDay(at, product)]
  for (let repeat = 0; repeat < (quick ? 1 : 3); repeat++) large.push(await watchDay(at, product))
  for (const { entries, settledSeconds, slowestAnswerMs, autoJoin } of large)
    say(
      `a day of ${entries} settled in ${settledSeconds.toFixed(1)} s (slowest answer ${slowestAnswerMs.toFixed(0)} ms), then ${autoJoin?.members} joined in ${autoJoin?.seconds.toFixed(1)} s`,
    )
  return { small, large }
}
