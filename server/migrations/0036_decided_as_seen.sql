-- Payouts by hand are paid once, and nothing of a member on hold leaves.

-- When it was approved; a later rejection undid the approval.
alter table withdrawal add column approved_at timestamptz;
alter table refund add column approved_at timestamptz;

-- The person who was shown the bank account to pay by hand, and the time. From then on the money may
-- have left, so the gateway never sends it, and only that person's word "not paid" rejects it.
alter table withdrawal
  add column shown_to bigint references member (id),
  add column shown_at timestamptz,
  add column not_paid_by bigint references member (id),
  add constraint withdrawal_shown_when check ((shown_to is null) = (shown_at is null)),
  add constraint withdrawal_shown_is_by_hand check (shown_to is null or status not in ('requested', 'sending')),
  add constraint withdrawal_shown_not_rejected check (
    shown_to is null or status <> 'rejected' or not_paid_by is not null and not_paid_by = shown_to),
  add constraint withdrawal_not_paid_is_rejected check (not_paid_by is null or status = 'rejected');

create function withdrawal_stays_shown() returns trigger language plpgsql as $$
begin
  raise exception 'withdrawal %: nobody can take back that % was shown the bank account', old.id, old.shown_to
    using errcode = 'RZ003', constraint = 'withdrawal_stays_shown';
end $$;
create trigger withdrawal_stays_shown before update on withdrawal for each row
  when (old.shown_to is not null and new.shown_to is null) execute function withdrawal_stays_shown();

-- Rows that wait for the end of a hold; every sweep looks for them.
create index withdrawal_waits_for_hold on withdrawal (id) where problem = 'member_on_hold';
create index refund_waits_for_hold on refund (id) where problem = 'member_on_hold';
