/**
 * The load during the faults: clients that retry.
 * - Members join, pay, withdraw, request refunds, pause and resume AutoPay, read their history and repeat keys; administrators decide, and
 *   pay help out.
 * - A call that could move money is in the journal before it leaves.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { BANK } from '../../e2e/harness/people.ts'
import { createAutopay, type Saver } from './autopay.ts'
import { createOperations } from './operations.ts'
import type { OperationKind, Journal } from './journal.ts'
import type { Member } from './members.ts'
import { type Calls, type Reply, UnansweredError } from './patient-calls.ts'
import type { Dice } from './random.ts'
import { createOutlays, type Desk } from './outlays.ts'
import { createReturns, type Decision, firstVoiceOf } from './returns.ts'
import type { TEAM } from './team.ts'

type LoadDeps = {
  readonly calls: Calls
  readonly gateway: Calls
  readonly journal: Journal
  readonly members: readonly Member[]
  readonly dice: Dice
  /** Two administrators: some decisions need both. */
  readonly team: typeof TEAM
  readonly desk: Desk
  /** Members with AutoPay; none on servers that do not know it. */
  readonly savers: readonly Saver[]
  readonly clients: number
  /** Every repeat has a key of its own, to see that the judge finds what is doubled. */
  readonly forgetsKeys: boolean
  /** Servers of 1.0.0 may answer, which do not know a second voice. */
  readonly isMixed: boolean
  /** The server's address for the gateway's webhooks. */
  readonly noticeUrl: () => string
}

/** Pauses give the judge and other users of the machine a share of it. */
const PAUSE_MS = [150, 450] as const
const PAUSED_LOOK_MS = 10
const RUPEES = [10, 15, 20, 30] as const
/** A server refuses a member's 61st order of an hour, repeats included. */
const ORDERS_AN_HOUR = 40
const HOUR_MS = 3_600_000
/** A decision's kind in the journal. */
const DECISIONS = {
  withdrawals: { approve: 'approve', reject: 'reject' },
  refunds: { approve: 'refund-approve', reject: 'refund-reject' },
  suspense: { credit: 'item-credit', refund: 'item-refund' },
} as const satisfies Record<Decision['of'], Partial<Record<Decision['verb'], OperationKind>>>
/** Expected refusals: another person decided first, or the payer's bank has the money. */
const LATE = new Set(['suspense_decided', 'payment_taken_back'])

/** The answer to a credit that needs another person's voice. */
const awaitsSecond = ({ body }: Reply): boolean => (body.item as { readonly status?: string } | undefined)?.status === 'awaiting_second'

export type Load = ReturnType<typeof createLoad>

export function createLoad(deps: LoadDeps) {
  const { calls, gateway, journal, members, dice } = deps
  const operations = createOperations(calls, journal)
  const { operation, ok, field, heard } = operations
  /** Pending decisions, and withdrawals that were sent to the gateway. */
  const requested: Decision[] = []
  const sent: string[] = []
  /** When each member ordered lately. */
  const orders = new Map<string, readonly number[]>()
  const complaints: string[] = []
  const tokens: [string?, string?] = []
  let today = ''
  let running = true
  let paused = false
  let rush = false
  let topupsFirst = false

  const returns = createReturns({
    operations,
    gateway,
    journal,
    dice,
    decide: (decision) => void requested.push(decision),
    complain: (complaint) => void complaints.push(complaint),
    openItems,
    noticeUrl: deps.noticeUrl,
  })

  const outlays = createOutlays({
    operations,
    dice,
    desk: deps.desk,
    signIn,
    signOut,
    complain: (complaint) => void complaints.push(complaint),
  })

  const autopay = createAutopay({
    operations,
    gateway,
    journal,
    dice,
    savers: deps.savers,
    complain: (complaint) => void complaints.push(complaint),
  })

  /** A call with the member's own session, which never ends here. */
  async function own(...asked: Parameters<typeof operation>): ReturnType<typeof operation> {
    const done = await operation(...asked)
    if (done.reply.status === 401) complaints.push(`${asked[1].path} answered 401`)
    return done
  }

  async function join(member: Member): Promise<void> {
    const key = dice.chance(0.9) ? randomUUID() : undefined
    const { reply } = await own(
      { kind: 'join', memberId: member.id },
      { path: '/api/rounds/join', token: member.token, key, body: {} },
      (answer) => (ok(answer) ? field(answer.body.ticket, 'day') : undefined),
    )
    if (ok(reply)) member.joined = field(reply.body.ticket, 'day')
    else if (reply.body.code === 'already_joined') member.joined = today
  }

  async function addMoney(member: Member): Promise<void> {
    const lastHour = (orders.get(member.id) ?? []).filter((at) => at > performance.now() - HOUR_MS)
    if (lastHour.length >= ORDERS_AN_HOUR) return
    orders.set(member.id, [...lastHour, performance.now()])
    const rupees = dice.pick(RUPEES)
    const { effect: orderId } = await own(
      { kind: 'topup', memberId: member.id, paise: rupees * 100 },
      { path: '/api/wallet/add', token: member.token, key: randomUUID(), body: { amount: rupees, phoneNumber: '9876543210' } },
      (answer) => (ok(answer) ? field(answer.body, 'order_id') : undefined),
    )
    if (orderId === undefined) return
    if (dice.chance(0.1)) return void (await playPayment(orderId, 'failed'))
    await pay(member, orderId)
    if (dice.chance(0.4)) await verify(member, orderId)
  }

  const playPayment = (orderId: string, outcome: string): Promise<Reply> =>
    gateway.patiently({ path: `/__sandbox/orders/${orderId}/pay`, body: { outcome, webhooks: 1 + dice.below(3) } })

  /** 409: it is already paid and its answer was lost, or it has expired. */
  async function pay(member: Member, orderId: string): Promise<void> {
    const id = journal.tried({ kind: 'payment', memberId: member.id, subject: orderId })
    const reply = await playPayment(orderId, 'success')
    if (reply.status !== 200 && reply.status !== 409) complaints.push(`the gateway answered ${reply.status} to the payment of ${orderId}`)
    const { body } = await gateway.patiently({ method: 'GET', path: `/__sandbox/orders/${orderId}` })
    if (body.order_status === 'PAID') {
      journal.told(id, orderId)
      returns.remember(orderId, member.id)
    } else journal.refused(id, String(body.order_status), reply.first)
  }

  async function verify(member: Member, orderId: string): Promise<void> {
    const id = journal.tried({ kind: 'credit', memberId: member.id, subject: orderId })
    const reply = await calls.patiently({ method: 'GET', path: `/api/wallet/verify/${orderId}`, token: member.token, moves: true })
    if (reply.body.status === 'PAID') {
      journal.told(id, orderId)
      heard(reply.sentAt)
    } else journal.refused(id, String(reply.body.status ?? reply.body.code), false)
  }

  async function withdraw(member: Member): Promise<void> {
    const { effect: id } = await own(
      { kind: 'withdraw', memberId: member.id, paise: 1000 },
      { path: '/api/wallet/withdraw', token: member.token, key: randomUUID(), body: { amount: 10, bankDetail: BANK } },
      (answer) => (ok(answer) ? field(answer.body.withdrawal, 'id') : undefined),
    )
    if (id === undefined) return
    const verb = dice.chance(0.8) ? 'approve' : 'reject'
    const body = verb === 'reject' ? { body: { reason: 'The account is not yours.' } } : {}
    requested.push({ of: 'withdrawals', id, memberId: member.id, verb, key: randomUUID(), ...body })
  }

  async function signIn(person: 0 | 1 = 0): Promise<string> {
    return (tokens[person] ??= field((await calls.patiently({ path: '/api/admin/login', body: deps.team[person] })).body, 'token'))
  }
  function signOut(person: 0 | 1 = 0): void {
    tokens[person] = undefined
  }

  async function openItems(): Promise<readonly { readonly id: string }[]> {
    const reply = await calls.patiently({ method: 'GET', path: '/api/admin/suspense?status=open&limit=20', token: await signIn() })
    if (reply.status === 401) signOut()
    return (reply.body.suspense ?? []) as readonly { readonly id: string }[]
  }

  async function decide(): Promise<void> {
    const next = requested.shift()
    if (next === undefined) return
    const { of, id, verb, key, body, by = 0 } = next
    const kind = (DECISIONS[of] as Partial<Record<Decision['verb'], OperationKind>>)[verb]
    if (kind === undefined) throw new Error(`no decision ${verb} exists for ${of}`)
    const path = `/api/admin/${of}/${id}/${verb}`
    // The decision names the status that the administrator saw.
    const asked = { path, token: await signIn(by), key, body: { status: of === 'suspense' ? 'open' : 'requested', ...body } }
    const { reply, effect } = await operation({ kind, memberId: next.memberId, subject: id }, asked, (answer) =>
      ok(answer) ? (awaitsSecond(answer) ? firstVoiceOf(id) : id) : undefined,
    )
    // The other administrator's voice credits it.
    if (effect === firstVoiceOf(id))
      return void requested.push({ ...next, by: by === 0 ? 1 : 0, key: randomUUID(), body: { ...body, status: 'awaiting_second' } })
    if (ok(reply)) {
      if (verb !== 'approve') return
      if (of === 'refunds') returns.sent(id)
      else sent.push(id)
      return
    }
    if (typeof reply.body.code === 'string' && LATE.has(reply.body.code)) return
    // Two clients may choose one payment in suspense; with its key forgotten, a repeat meets its own first try.
    if (reply.body.code === 'changed_since_seen' && (of === 'suspense' || deps.forgetsKeys)) return
    // A member with a debt is paid nothing: reject the withdrawal, which pays the debt first.
    if (reply.body.code === 'member_in_debt')
      return void requested.push({ ...next, verb: 'reject', key: randomUUID(), body: { reason: 'A payment was taken back.' } })
    if (deps.isMixed && by === 1 && reply.body.code === 'invalid_input') return void requested.push({ ...next, key: randomUUID() })
    if (reply.status !== 401 && reply.body.code !== 'step_up_required')
      return void complaints.push(`${path} answered ${reply.status} ${JSON.stringify(reply.body)}`)
    // The session ended overnight: log in again and repeat with the same key.
    signOut(by)
    requested.push(next)
  }

  /** Plays the bank: most transfers succeed, some fail, a few are reversed later. */
  async function endTransfer(): Promise<void> {
    const id = sent.shift()
    if (id === undefined) return
    const path = `/__sandbox/transfers/${id.replaceAll('-', '')}`
    const status = dice.chance(0.8) ? 'SUCCESS' : 'FAILED'
    const reply = await gateway.patiently({ path, body: { status, webhooks: 1 + dice.below(2) } })
    // The server has not sent it yet.
    if (reply.status === 404) sent.push(id)
    else if (reply.status === 200 && status === 'SUCCESS' && dice.chance(0.1))
      await gateway.patiently({ path, body: { status: 'REVERSED', webhooks: 1 } })
  }

  async function look(member: Member): Promise<void> {
    const path = dice.pick(['/api/wallet/transactions', '/api/rounds/history', '/api/rounds/current', '/api/wallet/withdrawals'])
    const reply = await calls.patiently({ method: 'GET', path, token: member.token })
    if (reply.status !== 200) complaints.push(`${path} answered ${reply.status}`)
  }

  async function step(member: Member): Promise<void> {
    if (deps.savers.length > 0 && dice.chance(0.1)) return autopay.step()
    const chance = dice.between(0, 1)
    if (topupsFirst && chance < 0.6) return chance < 0.3 ? addMoney(member) : returns.bring()
    if (member.joined !== today && !member.autoJoin && chance < 0.45) return join(member)
    if (chance < 0.55) return addMoney(member)
    if (chance < 0.62) return withdraw(member)
    if (chance < 0.67) return returns.ask(member)
    if (chance < 0.73) return returns.chooseItem(member)
    if (chance < 0.82) return decide()
    if (chance < 0.86) return endTransfer()
    if (chance < 0.92) return returns.bring()
    if (chance < 0.94) return look(member)
    if (chance < 0.97) return outlays.step()
    return operations.repeat(dice)
  }

  async function client(): Promise<void> {
    while (running) {
      if (paused) {
        await sleep(PAUSED_LOOK_MS)
        continue
      }
      const idle = members.filter((member) => !member.busy)
      const open = idle.filter((member) => member.joined !== today && !member.autoJoin)
      const member = dice.pick(open.length > 0 && dice.chance(0.7) ? open : idle)
      member.busy = true
      try {
        await step(member)
      } catch (error) {
        if (!(error instanceof UnansweredError)) throw error
        complaints.push(error.message)
      } finally {
        member.busy = false
      }
      if (!rush) await sleep(dice.between(...PAUSE_MS))
    }
  }

  let ended: Promise<unknown> = Promise.resolve()
  return {
    start(day: string): void {
      today = day
      ended = Promise.all(Array.from({ length: deps.clients }, () => client()))
    },
    /** Starts no new operations and waits for those under way. */
    async stop(): Promise<void> {
      running = false
      await ended
    },
    /** Starts no new operations until `goOn`, and waits for those under way. */
    async pause(): Promise<void> {
      paused = true
      while (members.some(({ busy }) => busy)) await sleep(PAUSED_LOOK_MS)
    },
    goOn(): void {
      paused = false
    },
    setToday(day: string): void {
      today = day
      // A join's key is remembered until the next join.
      operations.forget()
    },
    /** Drops the pauses between operations, with more top-ups on request: for the time of a fault. */
    press(options: { readonly rush: boolean; readonly topupsFirst?: boolean }): void {
      rush = options.rush
      topupsFirst = options.topupsFirst ?? false
    },
    inFlight: (): number => calls.inFlight(),
    acknowledgedAfter: operations.acknowledgedAfter,
    longestSilence: operations.longestSilence,
    /** Unexpected answers; empty when all is well. */
    complaints: (): readonly string[] => complaints,
    /** Plays the bank once more, for transfers that reached the gateway late. */
    async endTransfers(): Promise<void> {
      for (let left = sent.length; left > 0; left--) await endTransfer()
      await returns.endRefunds()
    },
  }
}
