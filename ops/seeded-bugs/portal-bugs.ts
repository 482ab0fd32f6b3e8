/** Bugs in the portal's safety: the second factor, roles, invitations, and the signs of the review list. */
import type { Bug } from './bug.ts'

const IDENTITY = 'server/src/features/identity'
const FACTOR_TEST = `${IDENTITY}/second-factor.test.ts`
const TEAM_TEST = `${IDENTITY}/team.test.ts`
const TWO_PERSONS_TEST = 'server/src/features/payouts/two-persons.test.ts'
const SIGNALS = 'server/src/members/signals.ts'
const SIGNALS_TEST = 'server/src/features/wallet/withdrawal-signals.test.ts'

export const PORTAL_BUGS: readonly Bug[] = [
  {
    name: 'A code of the authenticator app is accepted twice',
    file: 'server/src/staff/totp.ts',
    find: 'if (step > now.lastStep && given.length',
    replace: 'if (given.length',
    test: FACTOR_TEST,
  },
  {
    name: 'A recovery code of the authenticator app is accepted twice',
    file: `${IDENTITY}/second-factor.ts`,
    find: 'delete from staff_recovery_code where member_id = ${memberId}::bigint and code_hash = ${hashOfRecovery(code)}::bytea returning 1',
    replace: 'select 1 from staff_recovery_code where member_id = ${memberId}::bigint and code_hash = ${hashOfRecovery(code)}::bytea',
    test: FACTOR_TEST,
  },
  {
    name: 'Finance works in production without an authenticator app',
    file: 'server/src/http/session.ts',
    find: 'production && TREASURY.some((one) => one === role)',
    replace: "production && TREASURY.some((one) => one === role && role === 'owner')",
    test: FACTOR_TEST,
  },
  {
    name: 'The last owner of the team can be removed: the program does not refuse it',
    file: `${IDENTITY}/team.ts`,
    find: "        if (await isLastOwner(tx, person)) return { ok: false, code: 'last_owner' }\n",
    replace: '',
    test: TEAM_TEST,
  },
  {
    name: 'The last owner of the team can get another role: the program does not refuse it',
    file: `${IDENTITY}/team.ts`,
    find: "        if (role !== 'owner' && (await isLastOwner(tx, person))) return { ok: false, code: 'last_owner' }\n",
    replace: '',
    test: TEAM_TEST,
  },
  {
    name: 'The last owner of the team can be removed: the schema does not refuse it',
    file: 'server/migrations/0052_staff.sql',
    find: "if not exists (select from member where staff_role = 'owner' and deleted_at is null and id <> old.id) then",
    replace: 'if old.id is null then',
    test: TEAM_TEST,
  },
  {
    name: 'A start makes an owner again of somebody whom an owner has removed',
    file: `${IDENTITY}/ensure-admin.ts`,
    find: "exists (select from audit_log where action = 'staff.remove' and lower(before ->> 'email') = ${key})",
    replace: 'false',
    test: TEAM_TEST,
  },
  {
    name: 'A start makes an owner again of somebody who was given another role',
    file: `${IDENTITY}/ensure-admin.ts`,
    find: "where lower(m.email) = ${key} and a.action = 'staff.role' and a.before ->> 'role' = 'owner'",
    replace: "where lower(m.email) = ${key} and a.action = 'staff.none'",
    test: TEAM_TEST,
  },
  {
    name: 'A person who was removed and invited again gives the second approval',
    file: 'server/src/ledger/approvals.ts',
    find: 'coalesce(is_same_person(${by}::bigint, ${firstApprovedBy}::bigint), false)',
    replace: 'coalesce(${by}::bigint = ${firstApprovedBy}::bigint, false)',
    test: TWO_PERSONS_TEST,
  },
  {
    name: 'The schema takes two accounts of one mailbox for two persons',
    file: 'server/migrations/0096_one_person.sql',
    find: 'p.staff_mailbox = o.staff_mailbox)',
    replace: 'p.staff_mailbox = o.staff_mailbox and p.id = o.id)',
    test: TWO_PERSONS_TEST,
  },
  {
    name: 'An invitation to the team is used twice',
    file: `${IDENTITY}/invitations.ts`,
    find: 'const IS_OPEN = sql`i.accepted_at is null and i.cancelled_at is null`',
    replace: 'const IS_OPEN = sql`i.cancelled_at is null`',
    test: TEAM_TEST,
  },
  {
    name: 'An invitation to the team outlives the owner who sent it',
    file: `${IDENTITY}/team.ts`,
    find: '        await cancelInvitationsOf(tx, person.id)\n        const { role, name, email } = person\n',
    replace: '        const { role, name, email } = person\n',
    test: TEAM_TEST,
  },
  {
    name: 'A sign of the review list outlives the account, if both came at the same moment',
    file: SIGNALS,
    find: 'if ((await maybeOne(tx, account)) === undefined) throw',
    replace: "if (used.kind === 'phone' && (await maybeOne(tx, account)) === undefined) throw",
    test: SIGNALS_TEST,
  },
  {
    name: 'A sign of the review list makes a deletion wait, or waits for one',
    file: SIGNALS,
    find: ' for key share skip locked`',
    replace: ' for key share`',
    test: SIGNALS_TEST,
  },
  {
    name: 'A sign of the review list counts an account once for each withdrawal',
    file: SIGNALS,
    find: '      on conflict do nothing returning kind, key)',
    replace: '      on conflict (kind, key, member_id) do update set seen_at = roz_now() returning kind, key)',
    test: SIGNALS_TEST,
  },
]
