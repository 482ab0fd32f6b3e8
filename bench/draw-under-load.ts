/**
 * `npm run bench:draw`: how much a Trigger Draw and 256 members who join delay each other, with four processes.
 *
 * - A close waits for the joins in progress, and joins wait for nobody: after the close they are refused at once.
 * - One day in two is drawn while nobody joins. Both days have about as many entries. The script asserts no duration.
 * - `--write docs/processes.json` writes its part of that file, and the page beside it, docs/processes.md.
 * - It fails if an entry was counted that no member was told of, or the other way round.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { IstDay } from '@roz/core/ist-day.ts'
import { one, sql } from '@roz/server/db/sql.ts'
import { circumstancesOf } from './circumstances.ts'
import { passDay } from './days.ts'
import { comeToRest, JOIN, joinRequests, percentilesOf } from './http.ts'
import { closedLoop, type Loaded } from './load.ts'
import { watchOtherLoad } from './other-load.ts'
import { type Program, startProduct } from './processes.ts'
import { type Answers, type DrawnDays, type Draws, tableOfDraws, writePart } from './processes-results.ts'
import { addMembers, cpuMsOf, openScene, type Scene } from './scene.ts'

const PROCESSES = 4
const JOINERS = 256
/** Those who join before the draw, and those who join while it runs. */
const BEFORE = 10_000
const DURING = 10_000
const REPEATS = 5
const SECONDS_MAX = 60
/** The draw begins when every joiner is busy. */
const LEAD_MS = 150
const ADMIN = { email: 'admin@roz.local', password: 'bench password 1' }

type Day = { readonly drawSeconds: number; readonly entries: number; readonly before: Loaded; readonly during: Loaded | undefined }

const { values } = parseArgs({ options: { write: { type: 'string' } } })
const beganMs = performance.now()
const scene = await openScene()
try {
  const otherCores = watchOtherLoad(() => cpuMsOf(process.pid) + scene.databaseCpuMs())
  await addMembers(scene, 0, BEFORE + DURING, { autoJoin: false, sessions: true })
  const days: DrawnDays[] = []
  const product = await startProduct(scene, { PROCESSES: String(PROCESSES) })
  try {
    // The first two days are the warm-up.
    for (let repeat = 0; repeat <= REPEATS; repeat++) {
      const [quiet, busy] = [await drawnDay(scene, product, false), await drawnDay(scene, product, true)]
      if (repeat > 0) days.push(compared(quiet, busy))
    }
  } finally {
    await product.stop()
  }
  const draws: Draws = { ...circumstancesOf({ beganMs, otherCores: otherCores() }), processes: PROCESSES, joiners: JOINERS, days }
  process.stdout.write(`${tableOfDraws(draws)}\n`)
  if (values.write !== undefined) writePart(values.write, { draws })
} finally {
  await scene.stop()
}

async function drawnDay(at: Scene, product: Program, isBusy: boolean): Promise<Day> {
  const day = await passDay(at, product)
  await comeToRest(at, [product])
  const join = (from: number, to: number): Promise<Loaded> =>
    closedLoop({ port: product.port, connections: JOINERS, requests: joinRequests(JOIN, from, to) }, SECONDS_MAX)
  const before = await join(0, isBusy ? BEFORE : BEFORE + DURING / 2)
  await comeToRest(at, [product])
  const joining = isBusy ? join(BEFORE, BEFORE + DURING) : undefined
  await sleep(LEAD_MS)
  const drawSeconds = await triggerDraw(product, day)
  const during = await joining
  const entries = await entriesOf(at, day)
  const told = (before.byStatus[200] ?? 0) + (during?.byStatus[200] ?? 0)
  if (entries !== told) throw new Error(`${day}: ${entries} entries, but ${told} members were told that they joined`)
  return { drawSeconds, entries, before, during }
}

async function triggerDraw({ port }: Program, day: IstDay): Promise<number> {
  const post = async <Answer>(path: string, body: object, token = ''): Promise<Answer> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    })
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Answer
  }
  const { token } = await post<{ token: string }>('/admin/login', ADMIN)
  const began = performance.now()
  await post('/admin/trigger-draw', { day }, token)
  return (performance.now() - began) / 1000
}

async function entriesOf({ db }: Scene, day: IstDay): Promise<number> {
  const settled = sql`select entries::float8 as entries from round where day = ${day}::date and status = 'settled'`
  return (await one<{ entries: number }>(db, settled)).entries
}

function compared(quiet: Day, { drawSeconds, entries, before, during }: Day): DrawnDays {
  if (during === undefined) throw new Error('nobody joined on the busy day')
  const refused = during.answers - (during.byStatus[200] ?? 0)
  return {
    quiet: { drawSeconds: quiet.drawSeconds, entries: quiet.entries },
    busy: { drawSeconds, entries, refused },
    before: answersOf(before),
    during: answersOf(during),
  }
}

function answersOf({ latencies }: Loaded): Answers {
  const { p50, p99 } = percentilesOf(latencies)
  return { p50Ms: p50, p99Ms: p99, slowestMs: latencies.at(-1) ?? Number.NaN }
}
