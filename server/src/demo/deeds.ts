/**
 * What the demo's members and its editor do, by the product's own calls. Invariant: every deed may be
 * done again without effect: accounts by address, orders by ids made from member and day, joins once
 * a day, withdrawals by Idempotency-Key, stories by the day of their draft.
 */
import { createHash } from 'node:crypto'
import type { Api, CallName } from '@roz/contract/api.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { type Db, maybeOne, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Call } from '../http/route.ts'
import type { AdminSession, MemberSession } from '../http/session.ts'
import { captureTopup, createTopup } from '../ledger/topups.ts'
import { insertMember } from '../members/new-member.ts'
import type { Services } from '../services.ts'
import type { DemoMember, DemoStory } from './community.ts'

export type Demo = { readonly db: Db; readonly services: Services; readonly passwordHash: string }

const NOBODY = Buffer.alloc(32)
const memberSession = (memberId: bigint): MemberSession => ({
  kind: 'member',
  tokenHash: NOBODY,
  memberId,
  emailVerified: true,
  isStaff: false,
  suspended: false,
})

/** A call as the edge would hand it on. */
const callOf = <N extends CallName>(_name: N, given: object): Call<Api[N]> =>
  ({
    params: undefined,
    query: undefined,
    body: undefined,
    session: undefined,
    language: 'en',
    // The links of mails lead to this server's own address.
    origin: '',
    ip: '127.0.0.1',
    userAgent: 'demo',
    idempotencyKey: undefined,
    upload: undefined,
    raw: undefined,
    ...given,
  }) as unknown as Call<Api[N]>

/** `allowed`: refusals that say that the deed was done before, or that the operator has switched it off. */
function expectDone(
  what: string,
  answer: { readonly ok: true } | { readonly ok: false; readonly code: string },
  allowed: readonly string[] = [],
): void {
  if (!answer.ok && !allowed.includes(answer.code)) throw new Error(`demo: ${what} was refused: ${answer.code}`)
}

export const findDemoMember = async (db: Db, email: string): Promise<bigint | undefined> =>
  (await maybeOne<{ id: bigint }>(db, sql`select id from member where lower(email) = ${email}::text`))?.id

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

/** A paid order; its payment is the demo's and no gateway has ever seen it. */
export async function addMoney({ db }: Demo, memberId: bigint, day: IstDay, rupees: number): Promise<void> {
  const orderId = createHash('sha256').update(`demo\n${memberId}\n${day}`).digest('hex').slice(0, 32)
  const amount = wholeRupees(rupees)
  await inTransaction(db, async (tx) => {
    const made = await maybeOne(tx, sql`select 1 from topup where order_id = ${orderId}::text`)
    if (made !== undefined) return
    await createTopup(tx, { orderId, memberId, amount })
    await captureTopup(tx, { orderId, paymentId: `demo-${orderId}`, orderAmount: amount })
  })
}

export async function join({ services }: Demo, memberId: bigint): Promise<void> {
  const answer = await services.handlers.joinRound(callOf('joinRound', { session: memberSession(memberId), body: {} }))
  expectDone('a join', answer, ['already_joined', 'insufficient_balance'])
}

export async function withdraw({ services }: Demo, memberId: bigint, member: DemoMember): Promise<void> {
  if (member.withdrawal === undefined) return
  const { rupees, bank, ifsc } = member.withdrawal
  const bankDetail = {
    accountHolderName: member.name,
    accountNumber: `0000${member.phone}`,
    ifscCode: ifsc,
    bankName: bank,
    accountType: 'savings',
  }
  const body = { amount: rupees, bankDetail }
  const call = callOf('withdraw', { session: memberSession(memberId), body, idempotencyKey: 'demo-withdrawal' })
  expectDone('a withdrawal', await services.handlers.withdraw(call), ['withdrawals_paused'])
}

/** Gives the draft of a day its words and publishes it. A day that ended void has none. */
export async function publish({ db, services }: Demo, day: IstDay, story: DemoStory): Promise<void> {
  const draft = await maybeOne<{ id: string }>(db, sql`select id from story where round_day = ${day}::date and not is_active`)
  const editor = await maybeOne<{ id: bigint }>(db, sql`select id from member where staff_role = 'owner' order by id limit 1`)
  if (draft === undefined || editor === undefined) return
  const session: AdminSession = { kind: 'admin', tokenHash: NOBODY, memberId: editor.id, staffRole: 'owner', steppedUp: true }
  const call = callOf('updateStory', { session, params: { id: draft.id }, body: { ...story, isActive: true } })
  expectDone('a story', await services.handlers.updateStory(call))
}
