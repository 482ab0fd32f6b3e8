/**
 * The rows of `npm run lab -- portal`: a community of a year, made set-based and without the triggers that guard single movements.
 *
 * - A million members with eight days of joins and two top-ups each: ten million movements.
 * - A member in five has withdrawn, one in twenty asked for a refund; one in fifty of these still waits for a decision.
 */
import { type Sql, sql } from '@roz/server/db/sql.ts'

export const MEMBERS = Number(process.argv.find((word) => word.startsWith('--members='))?.split('=')[1] ?? 1_000_000)
/** Days whose joins are stored; rounds before them have ended long ago. */
const DAYS = 8
const TOPUPS_EACH = 2
const WITHDRAWALS = Math.floor(MEMBERS / 5)
const REFUNDS = Math.floor(MEMBERS / 20)
const CASES = 100_000
export const FIRST = 1_001

/** Common names, so that a search for one has a tenth of the members as matches. */
const makeMembers = sql`
  insert into member (id, name, email, phone, email_verified_at, created_at) overriding system value
  select ${FIRST}::bigint + n,
    (array['Asha','Ravi','Gita','Meera','Sunil','रवि','Anil','Priya','Deepak','Kiran'])[1 + n % 10] || ' ' ||
    (array['Kumar','Verma','Sharma','Iyer','Patel','कुमार','Das','Rao','Khan','Singh','Nair'])[1 + (n / 10) % 11] ||
    case when n % 1000 = 7 then ' Zx' || n else '' end,
    'm' || n || '.' || substr(md5(n::text), 1, 6) || '@example.org', (6000000000 + (n::bigint * 7919) % 3999999999)::text,
    now(), now() - (${MEMBERS}::int - n) * interval '30 seconds'
  from generate_series(1, ${MEMBERS}::int) n`
const makeWallets = sql`
  insert into wallet (member_id, balance, seq, joins, may_move)
  select ${FIRST}::bigint + n, (n::bigint * 7919) % 3000, ${DAYS + TOPUPS_EACH}::int, ${DAYS}::int, true from generate_series(1, ${MEMBERS}::int) n`
const makeJoinMonths = sql`
  select make_join_month(ist_day(roz_now()) - n * 28) from generate_series(0, 2) n`
const makeJoins = sql`
  insert into round_join (batch_id, member_id, balance_after, wallet_seq, day)
  select d, ${FIRST}::bigint + n, 100, d, ist_day(roz_now()) - d from generate_series(1, ${DAYS}::int) d, generate_series(1, ${MEMBERS}::int) n`
const makeTopups = sql`
  insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
  select 'topup', 'pay' || n || '-' || k, 1, ${FIRST}::bigint + n, 1000, ${DAYS}::int + k, 1000, ist_day(roz_now()) - k
    from generate_series(1, ${TOPUPS_EACH}::int) k, generate_series(1, ${MEMBERS}::int) n`
const makeAccounts = sql`
  insert into bank_account (member_id, account_mac, details_mac, sealed, bank_name, last_four)
  select ${FIRST}::bigint + n * 5, sha256(n::text::bytea), sha256(n::text::bytea), '', 'State Bank', lpad((n % 10000)::text, 4, '0')
    from generate_series(1, ${WITHDRAWALS}::int) n`
const makeWithdrawals = sql`
  insert into withdrawal (id, member_id, amount, bank_account_id, status, created_at, ended_at, reference)
  select gen_random_uuid(), member_id, 1000, id, case when id % 50 = 0 then 'requested' else 'paid' end, now() - id * interval '1 minute',
    case when id % 50 = 0 then null else now() end, 'UTR' || id from bank_account`
const makeRefunds = sql`
  insert into refund (id, order_id, member_id, amount, status, reason, created_at, ended_at, reference)
  select gen_random_uuid(), md5(n::text), ${FIRST}::bigint + n * 20, 500, case when n % 50 = 0 then 'requested' else 'paid' end, 'Too much',
    now() - n * interval '3 minutes', case when n % 50 = 0 then null else now() end, 'ARN' || n
    from generate_series(1, ${REFUNDS}::int) n`
const makeAuditLog = sql`
  insert into audit_log (at, actor_id, action, subject)
  select now() - n * interval '20 seconds', ${FIRST}::bigint + n % 5, (array['withdrawal.approve', 'member.hold', 'story.edit'])[1 + n % 3],
    'member:' || (${FIRST}::bigint + n)
    from generate_series(1, ${MEMBERS}::int) n`
const makeSort = sql`
  insert into member_sort (member_id, balance, joins, won) select member_id, balance, joins, (member_id * 31) % 977 from wallet`

/** A tenth of the members share a device with another, and a fifth have one network, as behind a carrier's address. */
const makeSignalUses = sql`
  insert into signal_use (kind, key, member_id, seen_at)
  select 'device', sha256((n / 2)::text::bytea), ${FIRST}::bigint + n, now() - n * interval '1 second' from generate_series(1, ${MEMBERS / 10}::int) n
  union all
  select 'network', sha256('a carrier'), ${FIRST}::bigint + n, now() - n * interval '1 second' from generate_series(1, ${MEMBERS / 5}::int) n`
const makeSignals = sql`
  insert into signal (kind, key, members, changed_at) select kind, key, count(*), max(seen_at) from signal_use group by kind, key`

/** A year of settled rounds, and today's, which is open. */
const makeRounds = sql`
  with cut as (select n, ${MEMBERS}::bigint as entries, ist_day(roz_now()) - n as day, sha256(n::text::bytea) as hash
                 from generate_series(0, 365) n)
  insert into round (day, status, policy, need, reward, platform, winners, opens_at, closes_at, mode, secret_hash, sealed_secret,
    closed_at, entries, pool, root, draw_at, randomness, seed, drawn_at, need_paise, reward_paise, platform_paise, tax_paise, settled_at)
  select day, 'settled', 'A', 60, 30, 10, 1, start_of_ist_day(day), start_of_ist_day(day + 1), 'local', hash, hash,
    start_of_ist_day(day + 1), entries, entries * 100, hash, start_of_ist_day(day + 1), hash, hash, start_of_ist_day(day + 1),
    entries * 60, entries * 30, entries * 10, 0, start_of_ist_day(day + 1) from cut where n > 0
  union all
  select day, 'open', 'A', 60, 30, 10, 1, start_of_ist_day(day), start_of_ist_day(day + 1), 'local', hash, hash,
    null, null, null, null, null, null, null, null, null, null, null, null, null from cut where n = 0`
/** One batch a stored day, which its joins name, and today's in the size that a busy server writes. */
const makeBatches = sql`
  insert into join_batch (batch_id, uuid, day, via, n, amount) overriding system value
  select d, gen_random_uuid(), ist_day(roz_now()) - d, 'member', ${MEMBERS}::int, ${MEMBERS}::bigint * 100 from generate_series(1, ${DAYS}::int) d
  union all
  select ${DAYS}::int + n, gen_random_uuid(), ist_day(roz_now()), 'member', 250, 25000 from generate_series(1, ${Math.ceil(MEMBERS / 250)}::int) n`
/** A story of each day of three years, one in ten of them still a draft. */
const makeStories = sql`
  insert into story (id, day, title, description, charity_name, charity_description, is_active, published_at, created_at)
  select gen_random_uuid(), ist_day(roz_now()) - n, 'Story ' || n, 'School shoes', 'Meera', 'Shoes', n % 10 > 0,
    case when n % 10 > 0 then now() - n * interval '1 day' end, now() - n * interval '1 day'
    from generate_series(1, 1100) n`

/** A hundred thousand requests for help: most are ended and without their words, one in fifty waits for us. */
const makeCases = sql`
  with one as (
    select n, case when n % 50 > 0 then (array['refused', 'withdrawn', 'helped', 'followed_up'])[n % 4 + 1]
                   else (array['new', 'called', 'checked', 'agreed', 'waiting'])[n / 50 % 5 + 1] end as stage
      from generate_series(1, ${CASES}::int) n)
  insert into help_case (number, kind, for_whom, district, state, language, stage, urgency, reason, assigned_to, beneficiary_id, agreed_paise,
    asked_at, stage_at, touched_at, sealed, phone_mac)
  select upper(lpad(to_hex(n), 5, '0')), 'school', 'self', (array['Pune', 'Patna', 'Madurai', 'Kochi', 'Zunheboto'])[n % 5 + 1],
    (array['MH', 'BR', 'TN', 'KL'])[n % 4 + 1], 'hi', stage, (array['today', 'week', 'can_wait', null])[n % 4 + 1],
    case when stage = 'refused' then 'no_money' end, case when n % 3 = 0 then ${FIRST}::bigint + n % 7 end,
    case when stage in ('agreed', 'waiting', 'helped', 'followed_up') then gen_random_uuid() end,
    case when stage in ('agreed', 'waiting', 'helped', 'followed_up') then 500 end,
    now() - n * interval '5 minutes', now() - n * interval '4 minutes', now() - n * interval '4 minutes',
    case when n % 50 = 0 then sha256(n::text::bytea) end, case when n % 50 = 0 then sha256(n::text::bytea) end
    from one`

/** In the order in which they are made. */
export const ROWS: Readonly<Record<string, Sql>> = {
  makeMembers,
  makeWallets,
  makeJoinMonths,
  makeRounds,
  makeStories,
  makeBatches,
  makeJoins,
  makeTopups,
  makeAccounts,
  makeWithdrawals,
  makeRefunds,
  makeAuditLog,
  makeSort,
  makeSignalUses,
  makeSignals,
  makeCases,
}
