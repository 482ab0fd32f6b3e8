/**
 * The steps of an upgrade under load, as in docs/runbooks/upgrade.md. A server is taken out of the balancer, stopped,
 * started in the other version, and put back when ready. Between them both versions serve side by side, also over midnight.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { dayAt, type IstDay, nextDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { sql } from '@roz/server/db/sql.ts'
import type { Version } from '../faults/servers.ts'
import type { SystemUnderTest } from '../faults/system-under-test.ts'
import { aim, type FaultContext, nightIsOver, type Fault } from '../faults/faults.ts'

const EVENING_MS = 2500

/** In the order of an upgrade, the way back, and the upgrade again. */
export const STEPS = [
  'old-alone',
  'first-new',
  'night-old-and-new',
  'others-new',
  'first-back',
  'night-new-and-old',
  'others-back',
  'night-old-again',
  'all-new-again',
  'night-new-alone',
] as const
export type Step = (typeof STEPS)[number]

export type Versions = { readonly former: Version; readonly next: Version }
type Plan = Versions & {
  readonly servers: number
  /** How long each state stays under load. */
  readonly keepMs: number
}

/** The version that `roz_build_info` of each server names. */
export async function expectVersions(system: SystemUnderTest): Promise<void> {
  const wanted = system.servers.versions().map((version) => version?.name)
  const found = await Promise.all(
    system.servers
      .all()
      .map(async ({ url }) => /^roz_build_info\{version="([^"]+)"\} 1$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]),
  )
  if (found.join() !== wanted.join()) throw new Error(`roz_build_info names ${found.join(', ')}, and the versions are ${wanted.join(', ')}`)
}

/** The load uploads all its bills at the start, and a server removes an upload that no request names within a day. */
const keepUploads = ({ db }: SystemUnderTest): Promise<unknown> => db.query(sql`delete from job where kind = 'forget_receipt'`)

/** Sets the clock while nothing is under way, so that all servers and the gateway have one time; midnight then passes by itself. */
async function stepToEvening({ system, load }: FaultContext, day: IstDay): Promise<void> {
  await load.pause()
  await system.setClock(startOfDayMs(nextDay(day)) - EVENING_MS)
  // A server knows a set clock a second later, or as soon as it is asked.
  await Promise.all(system.servers.all().map(({ url }) => fetch(`${url}/dev/clock`)))
  load.goOn()
}

export function stepsOf({ former, next, servers, keepMs }: Plan): Readonly<Record<Step, Fault>> {
  const places = Array.from({ length: servers }, (_, place) => place)
  const [first, others] = [places.slice(0, 1), places.slice(1)]
  /** A start of the former version on the newer schema says so. */
  const saysNewer = (output: string): boolean => output.includes(`The database is of a newer release than ${former.name}.`)

  const to =
    (version: Version, which: readonly number[]): Fault =>
    async (context) => {
      const inFlight = await aim(context)
      if (inFlight === undefined) return undefined
      const endedAt = performance.now()
      for (const place of which) {
        const { output } = await context.system.servers.replace(place, version)
        if (version === former && !saysNewer(output()))
          throw new Error(`the start of ${former.name} does not say that the database is of a newer release:\n${output()}`)
        await expectVersions(context.system)
        await sleep(keepMs)
      }
      await sleep(which.length === 0 ? keepMs : 0)
      return { inFlight, endedAt }
    }
  const midnight: Fault = async (context) => {
    const { system, load } = context
    const day = dayAt((await system.now()).getTime())
    await keepUploads(system)
    await stepToEvening(context, day)
    const inFlight = await aim(context)
    if (inFlight === undefined) return undefined
    const endedAt = performance.now()
    await sleep(startOfDayMs(nextDay(day)) - (await system.now()).getTime())
    load.setToday(nextDay(day))
    await nightIsOver(context, day)
    await sleep(keepMs)
    await expectVersions(system)
    return { inFlight, endedAt }
  }
  return {
    'old-alone': to(former, []),
    'first-new': to(next, first),
    'night-old-and-new': midnight,
    'others-new': to(next, others),
    'first-back': to(former, first),
    'night-new-and-old': midnight,
    'others-back': to(former, others),
    'night-old-again': midnight,
    'all-new-again': to(next, places),
    'night-new-alone': midnight,
  }
}
