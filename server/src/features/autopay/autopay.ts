/**
 * AutoPay: a mandate that tops up a wallet which runs low. Its calls and due work.
 * - With AUTOPAY off nothing is set up and nothing raised; a mandate from before can still be paused and stopped, and its open
 *   debits are asked about and booked.
 */
import type { autopayAdminCalls } from '@roz/contract/autopay-admin.ts'
import type { autopayCalls } from '@roz/contract/autopay.ts'
import type { FastifyInstance } from 'fastify'
import type { Handlers } from '../../http/route.ts'
import { sql } from '../../db/sql.ts'
import { createIdempotency } from '../../http/idempotency.ts'
import { mayPageRead } from '../../jobs/autopay-pace.ts'
import { IS_OPEN_MANDATE } from '../../ledger/autopay.ts'
import { settleMandate, sweepMandates } from './check.ts'
import { type AutopayDeps, findOwn } from './deps.ts'
import { deskHandlers } from './desk.ts'
import { raiseDue } from './raise.ts'
import { mountReturn } from './return.ts'
import { setUp } from './set-up.ts'
import { listMandates, viewOwn } from './view.ts'
import { receiveMandateWebhook } from './webhook.ts'
import { wishHandlers } from './wishes.ts'

/** How long a page waits for the gateway before it gets our own state. */
const PATIENCE_MS = 4000

export function createAutopay(given: Omit<AutopayDeps, 'idempotency'>) {
  const deps: AutopayDeps = { ...given, idempotency: createIdempotency(given) }
  const handlers: Handlers<keyof typeof autopayCalls | keyof typeof autopayAdminCalls> = {
    ...deskHandlers(deps.db),
    autopay: async ({ session: { memberId } }) => {
      const own = await findOwn(deps.db, memberId)
      if ((own?.state === 'setup' || own?.state === 'bank') && (await mayPageRead(deps.db))) await settleMandate(deps, own.id, PATIENCE_MS)
      return { ok: true, value: { autopay: await viewOwn(deps, memberId) } }
    },
    setUpAutopay: (call) => setUp(deps, call),
    ...wishHandlers(deps),
    mandateWebhook: (call) => receiveMandateWebhook(deps, call),
  }
  return {
    handlers,
    mount: (app: FastifyInstance): void => mountReturn(app),
    /** Whether wallet and portal show AutoPay: it is offered, somebody has one from before, or the to-do list may name one. */
    isShown: async (): Promise<boolean> =>
      (deps.autopayOn && deps.topupsOn) ||
      // Each part has an index of its own; joined by `or` they would read every mandate as the server starts.
      (await deps.db.maybeOne(sql`select where exists (select from autopay_mandate m where ${IS_OPEN_MANDATE})
                      or exists (select from autopay_mandate where unknown_since is not null)
                      or exists (select from autopay_charge where status in ('raising', 'open'))`)) !== undefined,
    exports: { autopay: (memberId: bigint) => listMandates(deps.db, memberId) },
    /** Debits that are due, and questions that are due. Each is due work of its own. */
    sweeps: [(): Promise<boolean> => raiseDue(deps), (): Promise<boolean> => sweepMandates(deps)],
  }
}
