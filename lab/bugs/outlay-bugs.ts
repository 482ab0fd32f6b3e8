/** Bugs in the decisions about outlays: who may decide, whose consent is valid, and what a bill proves. */
import type { Bug } from './bug.ts'

const OUTLAYS = 'server/src/outlays/outlays.ts'
const PUBLIC_VIEW = 'server/migrations/0256_purpose_languages.sql'
const DISBURSEMENTS = 'server/src/features/help/disbursements.all.test.ts'
const SETTLEMENTS = 'server/src/features/accounts/settlements.test.ts'
const BENEFICIARIES = 'server/src/features/help/beneficiaries.test.ts'

export const OUTLAY_BUGS: readonly Bug[] = [
  {
    name: 'A settlement is typed whole after the entry that took a returned one off it was rejected: the returned money is in the books for ever',
    file: 'server/src/features/accounts/settlements.ts',
    find: '        asked: (tx) => forgetCorrections(tx, purpose),\n',
    replace: '        asked: async () => void forgetCorrections,\n',
    test: 'server/src/features/accounts/bank/returned.all.test.ts',
    only: 'typed whole',
  },
  {
    name: 'An outlay is approved by the person who asked for it',
    file: OUTLAYS,
    find: "  if (found.isAsker) return { ok: false, code: 'own_request' }\n",
    test: DISBURSEMENTS,
  },
  {
    name: 'An outlay is approved by the person who asked for it, from a second account',
    file: OUTLAYS,
    find: 'is_same_person(asked_by, ${by}::bigint) as "isAsker"',
    replace: 'asked_by = ${by}::bigint as "isAsker"',
    test: DISBURSEMENTS,
  },
  {
    name: 'An outlay above APPROVAL_ABOVE is booked by one person',
    file: OUTLAYS,
    find: '{ amount: outlay.whole, owner',
    replace: '{ amount: paise(0n), owner',
    test: DISBURSEMENTS,
  },
  {
    name: 'An outlay that an editor asked for is booked by the editor',
    file: OUTLAYS,
    find: '!TREASURY.some((role) => role === staffRole) || ',
    test: DISBURSEMENTS,
  },
  {
    name: 'An outlay names its beneficiary after the consent was revoked',
    file: PUBLIC_VIEW,
    find: 'case when b.revoked_at is null then b.public_name end as public_name',
    replace: 'b.public_name',
    test: BENEFICIARIES,
  },
  {
    name: 'An outlay takes a bill that another request already has',
    file: OUTLAYS,
    find: 'if (taken || (await isBillUsed(tx, evidence))) return',
    replace: 'if (await isBillUsed(tx, evidence)) return',
    test: DISBURSEMENTS,
  },
  {
    name: 'A correction with the Idempotency-Key of another disbursement’s is answered as booked',
    file: 'server/src/features/help/disbursements.ts',
    find: '        about: call.params.id,\n',
    test: DISBURSEMENTS,
  },
  {
    name: 'The report of a settlement is public',
    file: PUBLIC_VIEW,
    find: " and o.kind <> 'gateway_settled'",
    test: SETTLEMENTS,
  },
  {
    name: 'The fee of a settlement does not count for the second person',
    file: OUTLAYS,
    find: 'paise(amount + (fee ?? 0n))',
    replace: 'paise(amount + 0n)',
    test: SETTLEMENTS,
  },
  {
    name: 'The same settlement is requested twice',
    file: 'server/src/features/accounts/settlements.ts',
    find: "return asked === undefined ? judgeSettlement(tx, settlement) : 'settlement_known'",
    replace: 'return asked === null ? undefined : judgeSettlement(tx, settlement)',
  },
  {
    name: 'The same settlement is recorded twice, once with a hyphen in its number',
    file: 'server/src/ledger/gateway-settlements.ts',
    find: '=> sql`${squeezedNumber(column)} in (',
    replace: '=> sql`upper(${column}) in (',
    test: SETTLEMENTS,
  },
  {
    name: 'A settlement that was taken off a later one is paid again, and nobody hears of it',
    file: 'server/src/features/accounts/judge.ts',
    find: "state === 'paid' && replaced > 0n",
    replace: "state === 'pending' && replaced > 0n",
    test: 'server/src/features/accounts/paid-again.all.test.ts',
  },
  {
    name: 'The reconciliation leaves out the fee of a settlement',
    file: 'server/src/features/accounts/reconciliation.ts',
    find: 'credit = ${ACCOUNTS.GATEWAY}::bigint as "isToGateway"',
    replace: 'credit = ${ACCOUNTS.GATEWAY}::bigint and debit <> 8 as "isToGateway"',
    test: SETTLEMENTS,
  },
]
