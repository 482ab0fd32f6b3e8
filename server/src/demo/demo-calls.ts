/**
 * The actions of the demo's members and its editor, by the product's own calls.
 * - Every action is idempotent: accounts by mail address, orders by ids of member and day, joins by day. Withdrawals use an
 *   Idempotency-Key, stories the day of their draft. help.ts has the stories of the help desk.
 */
import { createHash } from 'node:crypto'
import type { Api, CallName } from '@roz/contract/api.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { type Db, type Queryable, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Call } from '../http/route.ts'
import type { AdminSession, MemberSession } from '../http/session.ts'
import { captureTopup, createTopup } from '../ledger/topups.ts'
import { insertMember } from '../members/new-member.ts'
import type { Services } from '../services.ts'
import { logStaff } from '../staff/staff-log.ts'
import { DEMO_EDITOR, type DemoMember, type DemoStory } from './community.ts'

export type Demo = { readonly db: Db; readonly services: Services; readonly passwordHash: string }

const NOBODY = Buffer.alloc(32)
const memberSession = (memberId: bigint): MemberSession => ({
  kind: 'member',
  tokenHash: NOBODY,
  memberId,
  emailVerified: true,
  suspended: false,
})

/** Makes a call as the HTTP layer would hand it to a handler. */
export const callOf = <N extends CallName>(_name: N, given: Partial<Call<Api[N]>>): Call<Api[N]> =>
  ({
    params: undefined,
    query: undefined,
    body: undefined,
    session: undefined,
    language: 'en',
    // Empty, so links in mails lead to this server's own address.
    origin: '',
    ip: '127.0.0.1',
    userAgent: 'demo',
    idempotencyKey: undefined,
    upload: undefined,
    raw: undefined,
    ...given,
  }) as unknown as Call<Api[N]>

/** `allowed` are refusals which mean that the action was done before or that the operator has switched it off. */
export function expectDone(
  what: string,
  answer: { readonly ok: true } | { readonly ok: false; readonly code: string },
  allowed: readonly string[] = [],
): void {
  if (!answer.ok && !allowed.includes(answer.code)) throw new Error(`demo: ${what} was refused: ${answer.code}`)
}

export const findDemoMember = async (db: Queryable, email: string): Promise<bigint | undefined> =>
  (await db.maybeOne<{ id: bigint }>(sql`select id from member where lower(email) = ${email}::text`))?.id

export async function register({ db, services, passwordHash }: Demo, member: DemoMember): Promise<void> {
  const { name, email, phone, language } = member
  await inTransaction(db, (tx) =>
    insertMember(tx, { name, email, phone, passwordHash, language, emailVerified: true, termsVersion: 'demo' }),
  )
  const memberId = await findDemoMember(db, email)
  if (memberId === undefined) throw new Error(`demo: ${email} has no account`)
  const autoParticipate = member.joinsEvery === undefined
  const publicName = member.isAnonymous === true ? 'anonymous' : 'initial'
  const call = callOf('updateProfile', { session: memberSession(memberId), body: { autoParticipate, publicName } })
  expectDone('a profile', await services.handlers.updateProfile(call))
}

/** Books a paid order without a gateway: the demo invents the payment. */
export async function demoAddMoney({ db }: Demo, memberId: bigint, day: IstDay, rupees: number): Promise<void> {
  const orderId = createHash('sha256').update(`demo\n${memberId}\n${day}`).digest('hex').slice(0, 32)
  const amount = wholeRupees(rupees)
  await inTransaction(db, async (tx) => {
    const made = await tx.maybeOne(sql`select 1 from topup where order_id = ${orderId}::text`)
    if (made !== undefined) return
    await createTopup(tx, { orderId, memberId, amount })
    await captureTopup(tx, { orderId, paymentId: `demo-${orderId}`, orderAmount: amount })
  })
}

export async function join({ services }: Demo, memberId: bigint): Promise<void> {
  const answer = await services.handlers.joinRound(callOf('joinRound', { session: memberSession(memberId), body: {} }))
  expectDone('a join', answer, ['already_joined', 'insufficient_balance'])
}

export async function demoWithdraw({ services }: Demo, memberId: bigint, member: DemoMember): Promise<void> {
  if (member.withdrawal === undefined) return
  const { rupees, bank, ifsc } = member.withdrawal
  const bankDetail = {
    accountHolderName: member.name,
    accountNumber: `0000${member.phone}`,
    ifscCode: ifsc,
    bankName: bank,
    accountType: 'savings' as const,
  }
  const body = { amount: rupees, bankDetail }
  const call = callOf('withdraw', { session: memberSession(memberId), body, idempotencyKey: 'demo-withdrawal' })
  expectDone('a withdrawal', await services.handlers.withdraw(call), ['withdrawals_paused'])
}

/** The session of the demo's editor, whose account is made with it. */
export function editorSession(db: Db): Promise<AdminSession> {
  return inTransaction(db, async (tx) => {
    const { name, email } = DEMO_EDITOR
    const made = await tx.maybeOne<{ id: bigint }>(sql`insert into member (name, email, role, staff_role, email_verified_at, staff_since)
          values (${name}::text, ${email}::text, 'admin', 'editor', roz_now(), roz_now() - interval '48 hours')
          on conflict do nothing returning id`)
    if (made !== undefined) {
      const after = { staffRole: 'editor' }
      await logStaff(tx, { actorId: undefined, action: 'staff.create', subject: `member:${made.id}`, after })
    }
    const memberId = made?.id ?? (await findDemoMember(tx, email))
    if (memberId === undefined) throw new Error('demo: the editor has no account')
    return { kind: 'admin', tokenHash: NOBODY, memberId, staffRole: 'editor', steppedUp: true, owesTotp: false }
  })
}

/** The session of the operator's own account; undefined before there is one. */
export async function ownerSession(db: Db): Promise<AdminSession | undefined> {
  const owner = await db.maybeOne<{ id: bigint }>(sql`select id from member where staff_role = 'owner' order by id limit 1`)
  if (owner === undefined) return undefined
  return { kind: 'admin', tokenHash: NOBODY, memberId: owner.id, staffRole: 'owner', steppedUp: true, owesTotp: false }
}

/** Fills the draft story of a day, links it to its disbursement, and publishes it. A void day has no draft. */
export async function publish({ db, services }: Demo, day: IstDay, { help: _help, ...words }: DemoStory, outlayId: string): Promise<void> {
  const draft = await db.maybeOne<{ id: string }>(sql`select id from story where round_day = ${day}::date and not is_active`)
  const session = await ownerSession(db)
  if (draft === undefined || session === undefined) return
  const body = { ...words, isActive: true, outlayId }
  const call = callOf('updateStory', { session, params: { id: draft.id }, body })
  expectDone('a story', await services.handlers.updateStory(call))
}
