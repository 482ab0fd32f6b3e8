/**
 * What runs while the strikes come: patient clients that join, add money and pay it at the gateway,
 * withdraw, decide as administrators, look at their histories, and repeat keys. Invariant: everything
 * that could move money stands in the journal before it leaves.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { BANK } from '../people.ts'
import type { DeedKind, Journal } from './journal.ts'
import type { Member } from './members.ts'
import { type Calls, type Reply, type Request, UnansweredError } from './patient-calls.ts'
import type { Dice } from './random.ts'

export type LoadDeps = {
  readonly calls: Calls
  readonly gateway: Calls
  readonly journal: Journal
  readonly members: readonly Member[]
  readonly dice: Dice
  readonly admin: { readonly email: string; readonly password: string }
  readonly clients: number
}

/** Between strikes the judge and other users of the machine have their turn. */
const PAUSE_MS = [150, 450] as const
const RUPEES = [10, 15, 20, 30] as const
const REMEMBERED = 200
const HEARD_MAX = 10_000

/** What is to be decided. */
type Decision = { readonly id: string; readonly memberId: string; readonly kind: 'approve' | 'reject'; readonly key: string }
type Keyed = { readonly deed: number; readonly request: Request; readonly effectOf: (reply: Reply) => string | undefined }

export type Load = ReturnType<typeof createLoad>

export function createLoad(deps: LoadDeps) {
  const { calls, gateway, journal, members, dice } = deps
  /** Withdrawals to be decided, and those that the gateway was told of. */
  const requested: Decision[] = []
  const sent: string[] = []
  const remembered: Keyed[] = []
  const complaints: string[] = []
  let adminToken: string | undefined
  let today = ''
  let running = true
  let rush = false
  let topupsFirst = false
  /** When deeds left that were acknowledged, and when they were; the newest. */
  let heards: { readonly sentAt: number; readonly at: number }[] = []

  /** A call that moves money: in the journal before and after. */
  async function deed(
    what: { readonly kind: DeedKind; readonly memberId: string; readonly paise?: number; readonly subject?: string },
    request: Request,
    effectOf: (reply: Reply) => string | undefined,
    by: Calls = calls,
  ): Promise<{ readonly reply: Reply; readonly effect: string | undefined; readonly deed: number }> {
    const id = journal.tried({ ...what, ...(request.key === undefined ? {} : { key: request.key }) })
    const reply = await by.patiently({ ...request, moves: by === calls })
    const effect = effectOf(reply)
    if (effect === undefined) journal.refused(id, typeof reply.body.code === 'string' ? reply.body.code : String(reply.status), reply.first)
    else {
      journal.told(id, effect)
      if (by === calls) heard(reply.sentAt)
      if (by === calls && request.key !== undefined) {
        remembered.push({ deed: id, request, effectOf })
        if (remembered.length > REMEMBERED) remembered.shift()
      }
    }
    if (reply.status === 401 && what.kind !== 'approve' && what.kind !== 'reject') complaints.push(`${request.path} answered 401`)
    return { reply, effect, deed: id }
  }

  function heard(sentAt: number): void {
    heards.push({ sentAt, at: performance.now() })
    if (heards.length > 2 * HEARD_MAX) heards = heards.slice(-HEARD_MAX)
  }

  const ok = (reply: Reply): boolean => reply.status >= 200 && reply.status < 300
  const field = (value: unknown, name: string): string => String((value as Record<string, unknown>)[name])

  async function join(member: Member): Promise<void> {
    const key = dice.chance(0.9) ? randomUUID() : undefined
    const { reply } = await deed(
      { kind: 'join', memberId: member.id },
      { path: '/api/rounds/join', token: member.token, key, body: {} },
      (answer) => (ok(answer) ? field(answer.body.ticket, 'day') : undefined),
    )
    if (ok(reply)) member.joined = field(reply.body.ticket, 'day')
    else if (reply.body.code === 'already_joined') member.joined = today
  }

  async function addMoney(member: Member): Promise<void> {
    const rupees = dice.pick(RUPEES)
    const { effect: orderId } = await deed(
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

  /** 409 says that it is paid already, its answer was lost; or that its time is over. */
  async function pay(member: Member, orderId: string): Promise<void> {
    const id = journal.tried({ kind: 'payment', memberId: member.id, subject: orderId })
    const reply = await playPayment(orderId, 'success')
    if (reply.status !== 200 && reply.status !== 409) complaints.push(`the gateway answered ${reply.status} to the payment of ${orderId}`)
    const { body } = await gateway.patiently({ method: 'GET', path: `/__sandbox/orders/${orderId}` })
    if (body.order_status === 'PAID') journal.told(id, orderId)
    else journal.refused(id, String(body.order_status), reply.first)
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
    const { effect: id } = await deed(
      { kind: 'withdraw', memberId: member.id, paise: 1000 },
      { path: '/api/wallet/withdraw', token: member.token, key: randomUUID(), body: { amount: 10, bankDetail: BANK } },
      (answer) => (ok(answer) ? field(answer.body.withdrawal, 'id') : undefined),
    )
    if (id !== undefined) requested.push({ id, memberId: member.id, kind: dice.chance(0.8) ? 'approve' : 'reject', key: randomUUID() })
  }

  async function decide(): Promise<void> {
    const next = requested.shift()
    if (next === undefined) return
    adminToken ??= field((await calls.patiently({ path: '/api/admin/login', body: deps.admin })).body, 'token')
    const { kind, key } = next
    const { reply } = await deed(
      { kind, memberId: next.memberId, subject: next.id },
      {
        path: `/api/admin/withdrawals/${next.id}/${kind}`,
        token: adminToken,
        key,
        ...(kind === 'reject' ? { body: { reason: 'The account is not yours.' } } : {}),
      },
      (answer) => (ok(answer) ? next.id : undefined),
    )
    if (ok(reply)) return void (kind === 'approve' && sent.push(next.id))
    if (reply.status !== 401 && reply.body.code !== 'step_up_required')
      return void complaints.push(`${kind} answered ${reply.status} ${JSON.stringify(reply.body)}`)
    // A night has passed: administrators sign in anew, and ask again with the key.
    adminToken = undefined
    requested.push(next)
  }

  /** The bank's part: most transfers arrive, some fail, a few come back afterwards. */
  async function endTransfer(): Promise<void> {
    const id = sent.shift()
    if (id === undefined) return
    const path = `/__sandbox/transfers/${id.replaceAll('-', '')}`
    const status = dice.chance(0.8) ? 'SUCCESS' : 'FAILED'
    const reply = await gateway.patiently({ path, body: { status, webhooks: 1 + dice.below(2) } })
    // It has not been sent yet.
    if (reply.status === 404) sent.push(id)
    else if (reply.status === 200 && status === 'SUCCESS' && dice.chance(0.1))
      await gateway.patiently({ path, body: { status: 'REVERSED', webhooks: 1 } })
  }

  async function look(member: Member): Promise<void> {
    const path = dice.pick(['/api/wallet/transactions', '/api/rounds/history', '/api/rounds/current', '/api/wallet/withdrawals'])
    const reply = await calls.patiently({ method: 'GET', path, token: member.token })
    if (reply.status !== 200) complaints.push(`${path} answered ${reply.status}`)
  }

  /** The same key again: the same answer, nothing new. */
  async function repeat(): Promise<void> {
    if (remembered.length === 0) return
    const { deed: id, request, effectOf } = dice.pick(remembered)
    const reply = await calls.patiently({ ...request, moves: true })
    const effect = effectOf(reply)
    // An administrator's session ends at night; a join's key is known until the next join.
    if (effect !== undefined) journal.told(id, effect)
  }

  async function step(member: Member): Promise<void> {
    const chance = dice.between(0, 1)
    if (topupsFirst && chance < 0.6) return addMoney(member)
    if (member.joined !== today && !member.autoJoin && chance < 0.6) return join(member)
    if (chance < 0.66) return addMoney(member)
    if (chance < 0.76) return withdraw(member)
    if (chance < 0.84) return decide()
    if (chance < 0.9) return endTransfer()
    if (chance < 0.95) return look(member)
    return repeat()
  }

  async function client(): Promise<void> {
    while (running) {
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
    /** No new deeds; ends when each one under way has been answered. */
    async stop(): Promise<void> {
      running = false
      await ended
    },
    setToday(day: string): void {
      today = day
      // A join's key is known until the next join.
      remembered.length = 0
    },
    /** Without pauses between deeds, and with more payments: while a strike is on. */
    press(options: { readonly rush: boolean; readonly topupsFirst?: boolean }): void {
      rush = options.rush
      topupsFirst = options.topupsFirst ?? false
    },
    inFlight: (): number => calls.inFlight(),
    /** When the first deed was acknowledged that left after this moment. */
    acknowledgedAfter: (moment: number): number | undefined => heards.find(({ sentAt }) => sentAt >= moment)?.at,
    /** What must not be answered so; empty where all is well. */
    complaints: (): readonly string[] => complaints,
    /** One round more of the bank's part: transfers that reached the gateway only now are ended too. */
    async endTransfers(): Promise<void> {
      for (let left = sent.length; left > 0; left--) await endTransfer()
    },
  }
}
