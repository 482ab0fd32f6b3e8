/**
 * The product of the month: the real program with its database and gateway sandbox, its team, and a clock that the driver moves.
 * - Members are rows written at the start; everything else is a call over HTTP, as the app and the portal make it.
 * - A member of the team who must prove a factor again logs in again.
 */
import type { Api, CallName, Output } from '@roz/contract/api.ts'
import { type IstDay, isoIst, startOfDayMs } from '@roz/core/ist-day.ts'
import { connect, type Db, sql } from '@roz/server/db/sql.ts'
import { type Answered, ask, type Given } from '../../e2e/harness/calls.ts'
import { urlOf } from '../../e2e/harness/database.ts'
import { setClock } from '../../e2e/harness/people.ts'
import { ADMIN, postJson, type Program, startProgram } from '../../e2e/harness/program.ts'
import { addColleague, settleTeam } from '../../e2e/harness/team.ts'
import type { Secrets } from './leaks.ts'
import { makeMembers, type Member } from './members.ts'

const SETTINGS = {
  AUTOPAY: 'on',
  AUTOPAY_BELOW: '20',
  DRAW: 'on',
  CASHOUT: 'on',
  PAYMENTS_LIVE: 'on',
  APPROVAL_ABOVE: '100',
  LOG_LEVEL: 'info',
} as const
const FINANCE = 'finance.month@roz.example'
const EDITOR = 'editor.month@roz.example'
const VISITOR = 'visitor.month@roz.example'
const MINUTE_MS = 60_000

export type Json = Readonly<Record<string, unknown>>
/** The visitor asks whether help arrived: somebody who neither paid it nor wrote the record. */
type Person = 'owner' | 'finance' | 'editor' | 'visitor'
export type World = Awaited<ReturnType<typeof openWorld>>

export async function openWorld({ members: count, secrets }: { readonly members: number; readonly secrets: Secrets }) {
  const roz: Program = await startProgram({ env: SETTINGS })
  const db: Db = connect({ url: urlOf(roz.dataDir), max: 3, applicationName: 'roz-month' })
  // Nobody cuts the power of a measurement.
  await db.query(sql`alter system set fsync = off`)
  await db.query(sql`select pg_reload_conf()`)
  await addColleague(roz, 'finance', FINANCE, 'Sunita Nair')
  await addColleague(roz, 'editor', EDITOR, 'Vikram Rao')
  await addColleague(roz, 'editor', VISITOR, 'Farida Khan')
  await settleTeam(roz)
  for (const secret of [ADMIN.password, 'sandbox-secret', 'sandbox-payout-secret', 'sandbox-verification-secret'])
    secrets.add(secret, 'a secret of the server')
  const members: readonly Member[] = await makeMembers(db, count, secrets)
  return {
    ...sides(roz, secrets),
    roz,
    db,
    members,
    async close(): Promise<void> {
      await db.close()
      await roz.stop()
    },
  }
}

/** The two ways to act on the world: calls to the product, and presses at the gateway. */
function sides(roz: Program, secrets: Secrets) {
  const tokens = new Map<Person, string>()
  const emails: Readonly<Record<Person, string>> = { owner: ADMIN.email, finance: FINANCE, editor: EDITOR, visitor: VISITOR }
  let offsetMs = 0

  async function signIn(person: Person): Promise<string> {
    const { output } = await ask(roz.url, 'adminLogin', { body: { email: emails[person], password: ADMIN.password } })
    tokens.set(person, output.token)
    secrets.add(output.token, 'the session of a colleague')
    return output.token
  }

  async function goToMs(ms: number): Promise<void> {
    await setClock(roz.url, isoIst(ms))
    offsetMs = ms - Date.now()
  }
  const nowMs = (): number => Date.now() + offsetMs

  return {
    nowMs,
    setClock: goToMs,
    /** The clock moves on in steps, and at each one everything that is due runs. */
    async pass(minutes: number, step = minutes): Promise<void> {
      for (let left = minutes; left > 0; left -= step) await goToMs(nowMs() + Math.min(step, left) * MINUTE_MS)
    },
    /** An hour of a day; a clock that is past it stays. */
    async goTo(day: IstDay, hour: number): Promise<void> {
      const at = startOfDayMs(day) + hour * 60 * MINUTE_MS
      if (at > nowMs()) await goToMs(at)
    },
    /** A call of the product. */
    call: <N extends CallName>(name: N, given: Given = {}): Promise<Answered<Output<Api[N]>>> => ask(roz.url, name, given),
    /** A call that the portal makes for a person of the team. */
    as: async <N extends CallName>(person: Person, name: N, given: Given = {}): Promise<Answered<Output<Api[N]>>> => {
      const first = await ask(roz.url, name, { ...given, token: tokens.get(person) ?? (await signIn(person)) })
      const isOver = first.status === 401 || (first.status === 403 && first.refusal.code === 'step_up_required')
      return isOver ? ask(roz.url, name, { ...given, token: await signIn(person) }) : first
    },
    /** A press at the gateway or at a bank; undefined if its state does not allow it. */
    press: async (where: string, body: Json = {}): Promise<Json | undefined> => {
      const response = await postJson(`${roz.sandboxUrl}/__sandbox${where}`, body)
      const text = await response.text()
      if (response.ok) return JSON.parse(text) as Json
      if (response.status !== 404 && response.status !== 409)
        throw new Error(`${where} ${JSON.stringify(body)}: ${response.status} ${text}`)
      return undefined
    },
  }
}

type Waiting = { readonly mandates: number; readonly raised: number; readonly unread: number; readonly done: string }

/** Work that waits for the pace of the gateway: the clock must move for it. */
const readWaiting = ({ db }: Pick<World, 'db'>): Promise<Waiting> =>
  db.one<Waiting>(sql`select (select count(*)::int from autopay_check where ask_at <= roz_now()) as mandates,
          (select count(*)::int from autopay_charge) as raised,
          (select count(*)::int from gateway_settlement_seen where ask_at <= roz_now())
            + (due_at <= roz_now())::int + (read_at is not null and (looked_at is null or looked_at < read_at))::int as unread,
          concat(cursor, (select count(*) from gateway_settlement_seen), (select count(*) from gateway_settlement_event)) as done
          from gateway_reading`)

const STEP_MS = 10_000
/** Six moves without progress are ten minutes of the clock: longer than any pause that the gateway asks for. */
const IDLE_MOVES_MAX = 6

/** Moves the clock until nothing waits for the gateway's pace; less patiently at a gateway that fails. */
export async function drain(world: World, most: number): Promise<void> {
  let before = await readWaiting(world)
  let idle = 0
  for (let moves = 0; moves < most; moves++) {
    await world.setClock(world.nowMs() + STEP_MS * 2 ** idle)
    const now = await readWaiting(world)
    const isSame = JSON.stringify(now) === JSON.stringify(before)
    before = now
    if (isSame && (now.mandates + now.unread === 0 || ++idle === IDLE_MOVES_MAX)) return
    if (!isSame) idle = 0
  }
}
