/**
 * The part of the load that is AutoPay: members resume, pause and stop it, the server raises debits, and the payers' banks end them.
 * - Each mandate is authorised before the faults, is paused, and its first debit counts as 27 days old: a resume makes the next one due.
 * - A debit that a bank has paid is in the journal under its order, and must be credited as any other payment.
 * - The newest acknowledged wish of a member stands, and no mandate is debited twice in 27 days.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { AUTOPAY_GAP_DAYS } from '@roz/core/autopay.ts'
import { type Db, sql } from '@roz/server/db/sql.ts'
import type { Journal, Operation, OperationKind } from './journal.ts'
import type { Member } from './members.ts'
import type { Operations } from './operations.ts'
import type { Calls, Reply } from './patient-calls.ts'
import type { Dice } from './random.ts'

/** A wallet of the load has less than this, so a debit is due whenever the rules allow one. */
export const WITH_AUTOPAY = { AUTOPAY: 'on', AUTOPAY_BELOW: '100' } as const
const ONE_IN = 6
const AT_ONCE = 6
const SET_UP_WITHIN_MS = 120_000
const WISHES = { 'autopay-resume': 'resume', 'autopay-pause': 'pause', 'autopay-stop': 'stop' } as const satisfies Partial<
  Record<OperationKind, string>
>
type Wish = keyof typeof WISHES
const isWish = (kind: OperationKind): kind is Wish => Object.hasOwn(WISHES, kind)
/** The states of a mandate that contradict an acknowledged wish. */
const CONTRADICTS: Readonly<Record<Wish, ReadonlySet<string>>> = {
  'autopay-resume': new Set(['paused']),
  'autopay-pause': new Set(['on', 'resting']),
  'autopay-stop': new Set(['on', 'paused', 'resting']),
}

export type Saver = { readonly member: Member; readonly mandateId: string }

type SettingUp = {
  readonly db: Db
  readonly journal: Journal
  readonly members: readonly Member[]
  readonly calls: Calls
  readonly gateway: Calls
  readonly now: () => Promise<Date>
  readonly setClock: (ms: number) => Promise<void>
}

/** Sets AutoPay up for some members, by the calls of the app and of the gateway's page. */
export async function makeSavers({ db, journal, members, calls, gateway, now, setClock }: SettingUp): Promise<Saver[]> {
  const passMinute = async (): Promise<void> => setClock((await now()).getTime() + 60_000)
  const until = performance.now() + SET_UP_WITHIN_MS
  for (const [n, { token }] of members.filter((_, index) => index % ONE_IN === 0).entries()) {
    // The gateway takes some calls at once.
    if (n % AT_ONCE === 0) await passMinute()
    const body = { phoneNumber: '9876543210', consent: true }
    const { status } = await calls.patiently({ path: '/api/autopay', token, body })
    if (status !== 200) throw new Error(`a setup of AutoPay answered ${status}`)
  }
  const made = await listMandates(db)
  for (const { mandateId } of made) await gateway.patiently({ path: `/__sandbox/subscriptions/${mandateId}`, body: { step: 'approve' } })
  await db.query(sql`update autopay_check set ask_at = roz_now()`)
  while ((await db.query(sql`select from autopay_mandate where state <> 'on' limit 1`)).length > 0) {
    if (performance.now() > until) throw new Error('AutoPay was not authorised in time')
    await passMinute()
    await sleep(200)
  }
  for (const { orderId, memberId } of made) journal.told(journal.tried({ kind: 'debit', memberId, subject: orderId }), orderId)
  await db.query(sql`update autopay_mandate set paused_at = roz_now(), state = 'paused', not_before = ist_day(roz_now())`)
  return made.flatMap(({ memberId, mandateId }) => {
    const member = members.find(({ id }) => id === memberId)
    return member === undefined ? [] : [{ member, mandateId }]
  })
}

const listMandates = (db: Db) =>
  db.query<{ memberId: string; mandateId: string; orderId: string }>(sql`
    select member_id::text as "memberId", replace(id::text, '-', '') as "mandateId", auth_order_id as "orderId" from autopay_mandate`)

type AutopayDeps = {
  readonly operations: Operations
  readonly gateway: Calls
  readonly journal: Journal
  readonly dice: Dice
  readonly savers: readonly Saver[]
  readonly complain: (complaint: string) => void
}

export function createAutopay({ operations, gateway, journal, dice, savers, complain }: AutopayDeps) {
  const { operation, ok } = operations
  /** Savers whose debits are raised: only they have a debit that a bank can end. */
  const resumed = new Set<Saver>()

  async function wish(saver: Saver): Promise<void> {
    const { member } = saver
    const kind: Wish = dice.chance(0.6) ? 'autopay-resume' : dice.chance(0.8) ? 'autopay-pause' : 'autopay-stop'
    const path = `/api/autopay/${WISHES[kind]}`
    const { reply } = await operation({ kind, memberId: member.id }, { path, token: member.token, body: {} }, (answer) =>
      ok(answer) ? WISHES[kind] : undefined,
    )
    if (ok(reply) && kind === 'autopay-resume') resumed.add(saver)
    const isExpected = ok(reply) || reply.body.code === 'changed_since_seen' || reply.body.code === 'not_found'
    if (!isExpected) complain(`${path} answered ${reply.status} ${JSON.stringify(reply.body)}`)
  }

  type Debit = { readonly payment_id: string; readonly payment_type: string; readonly payment_status: string }

  /** Plays the payer's bank: most debits are paid. */
  async function endDebit({ member, mandateId }: Saver): Promise<void> {
    const { body } = await gateway.patiently({ method: 'GET', path: `/__sandbox/subscriptions/${mandateId}` })
    const open = ((body.payments ?? []) as readonly Debit[]).find(
      (one) => one.payment_type === 'CHARGE' && (one.payment_status === 'INITIALIZED' || one.payment_status === 'PENDING'),
    )
    if (open === undefined) return
    const status = dice.chance(0.8) ? 'SUCCESS' : 'FAILED'
    const path = `/__sandbox/charges/${open.payment_id}`
    const id = status === 'SUCCESS' ? journal.tried({ kind: 'debit', memberId: member.id, subject: open.payment_id }) : undefined
    await gateway.patiently({ path, body: { status, webhooks: dice.below(3) } })
    const after: Reply = await gateway.patiently({ method: 'GET', path })
    if (id === undefined) return
    if (after.body.payment_status === 'SUCCESS') journal.told(id, open.payment_id)
    else journal.refused(id, String(after.body.payment_status), false)
  }

  return {
    /** One event of a member who is free, or of a bank. */
    async step(): Promise<void> {
      const free = savers.filter(({ member }) => !member.busy)
      if (free.length === 0) return
      const saver = dice.pick(free)
      if (resumed.size > 0 && dice.chance(0.5)) return endDebit(dice.pick([...resumed]))
      saver.member.busy = true
      try {
        await wish(saver)
      } finally {
        saver.member.busy = false
      }
    },
  }
}

/** `paid`: the days of the debits that were paid. */
export type MandateRow = { readonly member: string; readonly state: string; readonly paid: readonly number[] }

/** Empty on a schema that does not know AutoPay. */
export async function readMandates(db: Db): Promise<MandateRow[]> {
  if (!(await knowsAutopay(db))) return []
  return db.query<MandateRow>(sql`
    select m.member_id::text as member, m.state,
           array(select c.day - date '2000-01-01' from autopay_charge c
                  where c.mandate_id = m.id and c.kind = 'charge' and c.status = 'paid' order by 1)::int[] as paid
      from autopay_mandate m`)
}
export const knowsAutopay = async (db: Db): Promise<boolean> =>
  (await db.query(sql`select where to_regclass('public.autopay_charge') is not null`)).length > 0

const newestWishes = (operations: readonly Operation[]): ReadonlyMap<string, Operation> =>
  new Map(operations.flatMap((operation) => (isWish(operation.kind) ? [[operation.memberId, operation] as const] : [])))

/** Members whose newest wish was acknowledged before the look, with none after it, and whose mandate is in another state. */
export function findLostWishes(before: readonly Operation[], after: readonly Operation[], mandates: readonly MandateRow[]): string[] {
  const [newest, later] = [newestWishes(before), newestWishes(after)]
  return mandates.flatMap(({ member, state }) => {
    const operation = newest.get(member)
    if (operation === undefined || operation.effects.length === 0 || later.get(member)?.id !== operation.id) return []
    return CONTRADICTS[operation.kind as Wish].has(state)
      ? [`${operation.kind} of member ${member} was acknowledged, and the mandate is ${state}`]
      : []
  })
}

export const findEarlyDebits = (mandates: readonly MandateRow[]): string[] =>
  mandates.flatMap(({ member, paid }) =>
    paid.some((day, index) => index > 0 && day - (paid[index - 1] as number) < AUTOPAY_GAP_DAYS)
      ? [`member ${member} was debited twice in ${AUTOPAY_GAP_DAYS} days: on the days ${paid.join(', ')}`]
      : [],
  )
