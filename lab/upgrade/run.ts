/**
 * Servers of a former version on one database behind one address are replaced by this version, go back, and come again, under load.
 * - Journal and judge come from `npm run lab -- faults`; each failed call is a finding.
 * - At the end the audit passes, nothing is parked, no server logged an error, and both verifiers accept each day that ended.
 */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '@roz/server/db/sql.ts'
import { VERDICT, verifyDay, verifyDayByTwin } from '@roz/server/testing/verifier.ts'
import { runCycles, type RunResult } from '../faults/cycles.ts'
import { openSystem, type SystemUnderTest } from '../faults/system-under-test.ts'
import type { Former } from './history.ts'
import { expectVersions, STEPS, type Step, stepsOf, type Versions } from './steps.ts'
import { buildFormer, copyOfCheckout, nameAfter, patchAfter } from './versions.ts'

type RunOptions = {
  readonly seed: number
  readonly servers: number
  readonly clients: number
  readonly members: number
  readonly keepMs: number
  readonly steps?: readonly Step[]
  readonly say?: (line: string) => void
  readonly log?: (text: string) => void
  readonly goesOn?: () => boolean
}
export type Outcome = RunResult & {
  readonly from: string
  readonly fromVersion: string
  readonly toVersion: string
  /** Migrations that the new version brought. */
  readonly added: readonly string[]
  /** The planned steps; a run with fewer cycles was stopped, or found something. */
  readonly steps: number
  /** Days that ended, each looked at by both verifiers. */
  readonly days: readonly string[]
}

/** As the runbook recommends. */
const SETTINGS = { DRAIN_SECONDS: '3', LOG_LEVEL: 'warn' }
const BOOKS_WITHIN_MS = 120_000
const LOOK_MS = 250
const SOUND: readonly number[] = [VERDICT.pass, VERDICT.weak]
const ERROR = /^\{"level":(?:50|60).*$/gm
/** An alarm for the staff, and no fault: the load raises disputes. */
const ALARM = '"msg":"a payer disputes a payment"'
/** The audit of 1.0.0 misses the effect of a first voice about an item of SUSPENSE, which it does not know. Ours judges it at the end. */
const UNKNOWN_VOICE =
  /"broken":\[\{"invariant":"acknowledged_is_present","rows":\d+,(?:"hasMore":false,)?"first":\[?(?:"key of member \d+: suspense\.\w+ suspense:\d+ was acknowledged, and suspense:\d+ is not there",?)+\]?\}\]/

export async function upgradeFrom(chosen: Former, options: RunOptions): Promise<Outcome> {
  const { say = () => undefined } = options
  const former = await buildFormer(chosen, say)
  const added = chosen.added.length === 0 ? EXPANDING : {}
  const next = copyOfCheckout(nameAfter(former), added)
  const names = [...chosen.added, ...Object.keys(added).map((file) => path.basename(file))]
  say(`from ${chosen.name} (${former.name}) to this checkout (${next.name}), which adds ${names.join(', ')}`)
  try {
    return { ...(await upgrade({ former, next }, options)), from: chosen.commit, added: names }
  } finally {
    next.remove()
  }
}

/** Given to the new version if it brings no migration of its own: the way back shall meet a newer schema. */
const EXPANDING = {
  'server/migrations/9999_expands.sql': `
    alter table session add column upgrade_note text;
    alter table topup add column upgrade_note text not null default '';
    create table upgrade_note (id bigint generated always as identity primary key, words text not null);
    select app_may('select, insert', 'upgrade_note');`,
}
/** The servers of the version before use it with every call. */
const DROPPING = { 'server/migrations/9999_drops_a_column.sql': 'alter table session drop column last_used_at;' }

/** The control: a version whose migration removes a column that the former one uses must be found. */
export async function upgradeThatDropsColumn(options: RunOptions): Promise<RunResult> {
  const former = copyOfCheckout('1.0.0')
  const next = copyOfCheckout(patchAfter(former.name), DROPPING)
  try {
    return await upgrade({ former, next }, { ...options, steps: ['old-alone', 'first-new'] })
  } finally {
    former.remove()
    next.remove()
  }
}

async function upgrade(versions: Versions, options: RunOptions): Promise<Omit<Outcome, 'from' | 'added'>> {
  const { servers, members, steps = STEPS, keepMs } = options
  let days: readonly string[] = []
  const result = await runCycles(
    {
      open: () => openSystem({ members, instances: servers, version: versions.former, env: SETTINGS }),
      faults: stepsOf({ ...versions, servers, keepMs }),
      prepare: expectVersions,
      atEnd: async (system) => {
        const verified = await verifyDays(system)
        days = verified.days
        return [...(await auditBy(versions, system)), ...(await looseEnds(system)), ...verified.faults]
      },
    },
    { ...options, kinds: steps, failsNoCall: true },
  )
  return { ...result, fromVersion: versions.former.name, toVersion: versions.next.name, steps: steps.length, days }
}

/** `roz audit`, as the runbook has it after the last server. */
const auditBy = ({ next }: Versions, { postgres }: SystemUnderTest): Promise<string[]> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH, DATABASE_URL: postgres.appUrl }
    execFile(process.execPath, [path.join(next.folder, 'server/src/main.ts'), 'audit'], { env }, (error, stdout, stderr) =>
      resolve(error === null ? [] : [`roz audit: ${stdout}${stderr}`]),
    )
  })

/** Checks that no work is parked and that no server logged an error. */
async function looseEnds({ servers }: SystemUnderTest): Promise<string[]> {
  const metrics = await (await fetch(`${servers.all()[0]?.url}/metrics`)).text()
  const parked = /^roz_work_parked (\d+)$/m.exec(metrics)?.[1]
  const errors = (servers.printed().match(ERROR) ?? []).filter((line) => !line.includes(ALARM) && !UNKNOWN_VOICE.test(line))
  return [...(parked === '0' ? [] : [`roz_work_parked is ${parked}`]), ...errors.map((line) => `a server logged ${line}`)]
}

/** Waits for the books of each day that ended, and verifies it with both programs. */
async function verifyDays({
  db,
  servers,
}: SystemUnderTest): Promise<{ readonly days: readonly string[]; readonly faults: readonly string[] }> {
  const ended = (): Promise<{ day: string; hasBooks: boolean }[]> =>
    db.query<{ day: string; hasBooks: boolean }>(sql`
      select round.day, books_day.day is not null as "hasBooks" from round left join books_day using (day) where status = 'settled' order by day`)
  const until = performance.now() + BOOKS_WITHIN_MS
  let rows = await ended()
  while (!rows.every(({ hasBooks }) => hasBooks) && performance.now() < until) {
    await sleep(LOOK_MS)
    rows = await ended()
  }
  const faults = rows.flatMap(({ day, hasBooks }) => (hasBooks ? [] : [`${day} has no books`]))
  for (const { day } of rows.filter(({ hasBooks }) => hasBooks)) {
    for (const verify of [verifyDay, verifyDayByTwin]) {
      const { code, text } = await verify({ url: servers.url(), day })
      if (!SOUND.includes(code)) faults.push(`${verify === verifyDay ? 'roz-verify' : 'verify.py'} of ${day} ended with ${code}: ${text}`)
    }
  }
  return { days: rows.map(({ day }) => day), faults }
}
