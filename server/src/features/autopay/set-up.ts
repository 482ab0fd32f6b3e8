/**
 * Sets up AutoPay: our rows first, then the gateway's mandate, outside any transaction.
 * - A member has one open mandate. A second setup, in any tab, continues the unfinished one.
 * - The first debit is a top-up like any other, and its money stays in the wallet.
 * - The phone number is sent to the gateway and stored nowhere.
 */
import { randomUUID } from 'node:crypto'
import type { autopayCalls } from '@roz/contract/autopay.ts'
import { AUTOPAY_ENDED, AUTOPAY_YEARS } from '@roz/core/autopay.ts'
import { GatewayRefusedError, GatewayUnavailableError } from '../../adapters/payments/port.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { KeyedCall } from '../../http/idempotency.ts'
import type { Answer, Call } from '../../http/route.ts'
import { gatewayIdOf } from '@roz/core/gateway-id.ts'
import { takePlace } from '../../jobs/autopay-pace.ts'
import { createTopup } from '../../ledger/topups.ts'
import { lockWallet } from '../../ledger/transfer.ts'
import { memberLimits, take } from '../../protection/limits.ts'
import { endAuth } from './book.ts'
import { settleMandate } from './check.ts'
import { type AutopayDeps, findMandate, findOpen, type MandateRow } from './deps.ts'
import { askIn } from './questions.ts'
import { RETURN_PATH } from './return.ts'

type SetUp = Answer<typeof autopayCalls.setUpAutopay>
type SetUpCall = Call<typeof autopayCalls.setUpAutopay>

const FIRST_CHECK_SECONDS = 15

export async function setUp(deps: AutopayDeps, call: SetUpCall): Promise<SetUp> {
  const { memberId } = call.session
  const taken = await take(deps.db, memberLimits.orders(memberId))
  if (!taken.ok) return taken
  const keyed: KeyedCall = { memberId, key: call.idempotencyKey, route: 'setUpAutopay', body: call.body }
  const begun = await begin(deps, keyed, call)
  return 'answer' in begun ? begun.answer : openAtGateway(deps, keyed, call, begun.mandateId)
}

type Begun = { readonly mandateId: string } | { readonly answer: SetUp }
type RefusedAtOnce = 'topups_paused' | 'ticket_key_taken' | 'on_hold' | 'forbidden' | 'changed_since_seen'

function begin(deps: AutopayDeps, keyed: KeyedCall, { body }: SetUpCall): Promise<Begun> {
  return inTransaction(deps.db, async (tx) => {
    const { memberId } = keyed
    // Under the wallet's lock: of two setups at the same time the later one finds the first.
    const wallet = await lockWallet(tx, memberId)
    const open = await findOpen(tx, memberId)
    const id = open?.id ?? randomUUID()
    const claim = await deps.idempotency.claim<SetUp>(tx, keyed, id)
    if (claim.kind === 'answered') return { answer: claim.answer }
    const refuse = async (code: RefusedAtOnce): Promise<Begun> => {
      const answer: SetUp = { ok: false, code }
      await deps.idempotency.remember(tx, keyed, answer)
      return { answer }
    }
    if (!deps.autopayOn || !deps.topupsOn) return refuse('topups_paused')
    if (wallet === undefined) return refuse('forbidden')
    if (wallet.isClosed || !wallet.mayMove) return refuse('on_hold')
    if (open !== undefined) return open.state === 'setup' ? { mandateId: open.id } : refuse('changed_since_seen')
    const ticketKey = await deps.ticketKeys.ensure(tx, memberId, body.ticketKey)
    if (!ticketKey.ok) return refuse(ticketKey.code)
    await write(tx, deps, { id, memberId })
    return { mandateId: id }
  })
}

async function write(
  tx: Tx,
  { topupLimits, termsVersion }: AutopayDeps,
  { id, memberId }: { readonly id: string; readonly memberId: bigint },
): Promise<void> {
  const orderId = randomUUID().replaceAll('-', '')
  const amount = topupLimits.max
  await createTopup(tx, { orderId, memberId, amount })
  await tx.query(sql`
    insert into autopay_mandate (id, member_id, amount, terms_version, auth_order_id, expires_at)
    values (${id}::uuid, ${memberId}::bigint, ${amount}::bigint, ${termsVersion}::text, ${orderId}::text,
      roz_now() + make_interval(years => ${AUTOPAY_YEARS}::int))`)
  await tx.query(sql`
    insert into autopay_charge (order_id, mandate_id, kind, day, status, sent_at)
    values (${orderId}::text, ${id}::uuid, 'auth', ist_day(roz_now()), 'open', roz_now())`)
  await askIn(tx, id, FIRST_CHECK_SECONDS)
}

/** The gateway's half. An unknown outcome leaves the setup open: the same call goes on with it. */
async function openAtGateway(deps: AutopayDeps, keyed: KeyedCall, { body, origin }: SetUpCall, id: string): Promise<SetUp> {
  const { db, checkout, idempotency } = deps
  const row = await findMandate(db, id)
  if (checkout === undefined || row === undefined || AUTOPAY_ENDED.has(row.state)) return { ok: false, code: 'gateway_unavailable' }
  if (row.state !== 'setup') return { ok: false, code: 'changed_since_seen' }
  const { email } = await db.one<{ email: string | null }>(sql`select email from member where id = ${keyed.memberId}::bigint`)
  if (email === null || !(await takePlace(db, 'create'))) return { ok: false, code: 'gateway_unavailable' }
  let sessionId: string | undefined
  try {
    sessionId = await openSession(deps, row, { email, phone: body.phoneNumber, returnUrl: `${origin}${RETURN_PATH}` })
  } catch (error) {
    if (!(error instanceof GatewayUnavailableError) && !(error instanceof GatewayRefusedError)) throw error
    deps.warn({ err: error, mandateId: id }, 'the gateway did not make a mandate')
    if (error instanceof GatewayRefusedError) await inTransaction(db, (tx) => giveUp(tx, row))
    return { ok: false, code: 'gateway_unavailable' }
  }
  if (sessionId === undefined) {
    // Authorised meanwhile, or over: the page shows which.
    await settleMandate(deps, id)
    return { ok: false, code: 'changed_since_seen' }
  }
  const { mode, scriptUrl } = checkout
  const answer: SetUp = { ok: true, value: { sessionId, checkout: { mode, script_url: scriptUrl } } }
  await inTransaction(db, async (tx) => {
    await tx.query(sql`update autopay_mandate set gateway_status = coalesce(gateway_status, 'INITIALIZED') where id = ${id}::uuid`)
    await askIn(tx, id, FIRST_CHECK_SECONDS)
    await idempotency.remember(tx, keyed, answer)
  })
  return answer
}

/** The session of a new or an unfinished setup. Undefined if the setup has ended. */
async function openSession(
  { mandates }: AutopayDeps,
  row: MandateRow,
  asked: { readonly email: string; readonly phone: string; readonly returnUrl: string },
): Promise<string | undefined> {
  const mandateId = gatewayIdOf(row.id)
  // A repeated setup may need a new session: the old one ends after two hours. A lost answer is found by `createMandate` itself.
  const known = row.gatewayStatus === null ? undefined : await mandates.fetchMandate(mandateId)
  if (known !== undefined) return known.status === 'INITIALIZED' ? known.sessionId : undefined
  const made = await mandates.createMandate({ mandateId, amount: row.amount, ...asked, expiresAtMs: row.expiresAt.getTime() })
  return made.sessionId
}

async function giveUp(tx: Tx, row: MandateRow): Promise<void> {
  await endAuth(tx, row)
  await tx.query(sql`update autopay_mandate set state = 'lapsed' where id = ${row.id}::uuid and state = 'setup'`)
}
