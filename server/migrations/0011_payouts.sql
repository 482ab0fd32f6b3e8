-- Withdrawals until the money is at the bank or back in the wallet: the gateway's queries and answers,
-- its raw events, the guards of a withdrawal's states, and flags on members.

-- A late report of the gateway that contradicts our booking: LOSSES pays the money that left the bank a
-- second time, and gets it back if that money returns too.
create or replace function transfer_allowed(kind text, debit bigint, credit bigint) returns boolean immutable parallel safe language sql as $$
  select coalesce(case kind
    when 'topup'            then debit = 1 and credit > 1000
    when 'topup_suspense'   then debit = 1 and credit = 5
    when 'suspense_credit'  then debit = 5 and credit > 1000
    when 'suspense_refund'  then debit = 5 and credit = 4
    when 'prize'            then account_class(debit) = 'pool' and credit > 1000
    when 'need'             then account_class(debit) = 'pool' and credit = 6
    when 'platform'         then account_class(debit) = 'pool' and credit = 7
    when 'tax'              then account_class(debit) = 'pool' and credit = 10
    when 'round_refund'     then account_class(debit) = 'pool' and credit > 1000
    when 'disbursement'     then debit = 6 and credit = 2
    when 'gift'             then debit > 1000 and credit = 6
    when 'wd_hold'          then debit > 1000 and credit = 3
    when 'wd_paid'          then debit = 3 and credit = 2
    when 'wd_back'          then debit = 3 and credit > 1000
    when 'wd_reversed'      then debit = 2 and credit > 1000
    when 'wd_conflict'      then debit = 9 and credit = 2
    when 'wd_conflict_back' then debit = 2 and credit = 9
    when 'refund_hold'      then debit > 1000 and credit = 4
    when 'refund_paid'      then debit = 4 and credit = 1
    when 'refund_failed'    then debit = 4 and (credit > 1000 or credit = 5)
    when 'gateway_settled'  then debit in (2, 8) and credit = 1
    when 'chargeback'       then (debit > 1000 or debit = 9) and credit = 1
  end, false)
$$;

-- A conflict that comes again is numbered: its ref is the withdrawal's id, then `id#2`, `id#3`.
create function withdrawal_of(ref text) returns text immutable parallel safe language sql return split_part(ref, '#', 1);

-- A reversal follows a payment, a conflict follows returned money, and a conflict's return follows the
-- conflict.
create function withdrawal_order() returns trigger language plpgsql as $$
begin
  if not exists (
    select from transfer t where
      case new.kind
        when 'wd_reversed' then t.kind = 'wd_paid' and t.ref = new.ref
        when 'wd_conflict' then t.kind in ('wd_back', 'wd_reversed') and t.ref = withdrawal_of(new.ref)
        when 'wd_conflict_back' then t.kind = 'wd_conflict' and t.ref = new.ref
      end) then
    raise exception '% of %: what it must follow was never booked', new.kind, new.ref using errcode = 'RZ002', constraint = 'withdrawal_order';
  end if;
  return new;
end $$;
create trigger withdrawal_order before insert on transfer for each row
  when (new.kind in ('wd_reversed', 'wd_conflict', 'wd_conflict_back')) execute function withdrawal_order();

-- Why it is stuck, in the gateway's words, for the administrator.
alter table withdrawal add column problem text;

-- A request and its final state never change; only a paid one may still be reversed.
create function withdrawal_moves() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or (new.id, new.member_id, new.amount, new.bank_account_id) is distinct from (old.id, old.member_id, old.amount, old.bank_account_id)
     or new.status <> old.status and not (
       old.status = 'requested' and new.status in ('approved', 'rejected', 'paid', 'failed')
       or old.status = 'approved' and new.status in ('sending', 'rejected', 'paid', 'failed')
       or old.status = 'sending' and new.status in ('approved', 'paid', 'failed')
       or old.status = 'paid' and new.status = 'reversed') then
    raise exception 'withdrawal %: from % to % is no way to go', old.id, old.status, case when tg_op = 'DELETE' then 'nothing' else new.status end
      using errcode = 'RZ003', constraint = 'withdrawal_moves';
  end if;
  return new;
end $$;
create trigger withdrawal_moves before update or delete on withdrawal for each row execute function withdrawal_moves();
create index withdrawal_newest on withdrawal (created_at desc, id desc);

-- The questions to the gateway about money that we sent. One row per withdrawal or refund: a claim on
-- it spaces and numbers the questions of all processes, and an answer counts only while its question is
-- the newest.
create table payout_check (
  id            uuid primary key,
  kind          text not null check (kind in ('withdrawal', 'refund')),
  asks          int not null default 0 check (asks >= 0),
  asked_at      timestamptz,
  -- The next time to ask; none once nothing more is to be expected.
  ask_at        timestamptz,
  -- The newest sending that nobody answered: until then the money may be on its way.
  unanswered_at timestamptz,
  -- How often in a row the gateway knew nothing of it.
  misses        int not null default 0 check (misses >= 0)
);
create index payout_check_due on payout_check (ask_at) where ask_at is not null;
select app_may('select, insert, update', 'payout_check');

-- The payouts' webhooks as they came, once each. A body only says "ask again".
create table payout_event (
  event_key   text primary key,
  type        text not null,
  transfer_id text,
  payload     text not null,
  received_at timestamptz not null default roz_now()
);
create index payout_event_old on payout_event (received_at);
select app_may('select, insert, delete', 'payout_event');

-- Flags on members, with their reason; each subject is flagged once.
create table member_flag (
  id         bigint generated always as identity primary key,
  member_id  bigint not null references member (id),
  kind       text not null check (kind ~ '^[a-z_]+$'),
  subject    text not null,
  created_at timestamptz not null default roz_now(),
  unique (member_id, kind, subject)
);
select app_may('select, insert', 'member_flag');
