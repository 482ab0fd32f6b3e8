/** Passes days by the product's own `/dev/clock` and measures their duration. */
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IstDay } from '@roz/core/ist-day.ts'
import { nextDay } from '@roz/core/ist-day.ts'
import { sql } from '@roz/server/db/sql.ts'
import type { Program } from './processes.ts'
import type { SetUp } from './set-up.ts'

export const today = async ({ db }: SetUp): Promise<IstDay> => (await db.one<{ day: IstDay }>(sql`select ist_day(roz_now()) as day`)).day

/** Sets the clock to 00:00:05 IST of the next day. Returns when no work is due any more. */
export async function passDay(setUp: SetUp, product: Program, maxMs = 120_000): Promise<IstDay> {
  const day = nextDay(await today(setUp))
  await setClock(product, `${day}T00:00:05+05:30`, maxMs)
  return day
}

/** Not fetch: it waits at most five minutes for an answer, and a day of ten million takes longer on a busy machine. */
const setClock = ({ port }: Program, now: string, maxMs: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = request({
      port,
      host: '127.0.0.1',
      path: '/dev/clock',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(maxMs),
    })
    sent.on('error', reject)
    sent.on('response', (answer) => {
      text(answer).then((words) => {
        if (answer.statusCode === 200) resolve()
        else reject(new Error(`/dev/clock answered ${answer.statusCode}: ${words}`))
      }, reject)
    })
    sent.end(JSON.stringify({ now }))
  })

export type Passed = {
  readonly entries: number
  /** From the call to `/dev/clock` until the round is settled. */
  readonly settledSeconds: number
  /** Slowest answer of `/healthz` meanwhile, a call without a database query. */
  readonly slowestAnswerMs: number
  readonly autoJoin: AutoJoined | undefined
}
type AutoJoined = { readonly members: number; readonly seconds: number }

/** A day of a million takes a minute, and three on a busy machine. */
const DAY_MAX_MS = 900_000

/** Passes a day; measures its settlement, the auto-join of the next day and the server's response time meanwhile. */
export async function watchDay(setUp: SetUp, product: Program): Promise<Passed> {
  const day = await today(setUp)
  const began = performance.now()
  let isOver = false
  const probing = probe(product, () => isOver)
  const settled = untilSettled(setUp, day, began)
  // Its failure is told by the clock's call: the product ends with the bench.
  probing.catch(() => undefined)
  const next = await passDay(setUp, product, DAY_MAX_MS)
  const settledSeconds = await settled
  isOver = true
  const { entries } = await setUp.db.one<{ entries: number }>(sql`select entries::float8 as entries from round where day = ${day}::date`)
  return { entries, settledSeconds, slowestAnswerMs: await probing, autoJoin: await autoJoined(setUp, next) }
}

async function untilSettled({ db }: SetUp, day: IstDay, began: number): Promise<number> {
  for (;;) {
    const { status } = await db.one<{ status: string }>(sql`select status from round where day = ${day}::date`)
    if (status === 'settled' || status === 'void') return (performance.now() - began) / 1000
    await sleep(10)
  }
}

async function probe({ port }: Program, isOver: () => boolean): Promise<number> {
  let slowest = 0
  while (!isOver()) {
    const at = performance.now()
    await (await fetch(`http://127.0.0.1:${port}/healthz`)).text()
    slowest = Math.max(slowest, performance.now() - at)
    await sleep(20)
  }
  return slowest
}

/** Duration from the first auto-join page to the row that records that all members were notified. */
const autoJoined = ({ db }: SetUp, day: IstDay): Promise<AutoJoined | undefined> =>
  db.maybeOne<AutoJoined>(sql`select sum(b.n)::int as members, extract(epoch from min(t.told_at) - min(b.created_at))::float8 as seconds
          from join_batch b join auto_join_told t using (day) where b.day = ${day}::date and b.via = 'auto' having count(*) > 0`)
