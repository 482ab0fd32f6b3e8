-- Late reports of the gateway: refunds that are reversed or paid after their end, and disputes. In a
-- dispute the payer's bank takes a payment back and may return it.

create or replace function transfer_allowed(kind text, debit bigint, credit bigint) returns boolean immutable parallel safe language sql as $$
  select coalesce(case kind
    when 'topup'                then debit = 1 and credit > 1000
    when 'topup_suspense'       then debit = 1 and credit = 5
    when 'suspense_credit'      then debit = 5 and credit > 1000
    when 'suspense_refund'      then debit = 5 and credit = 4
    when 'prize'                then account_class(debit) = 'pool' and credit > 1000
    when 'need'                 then account_class(debit) = 'pool' and credit = 6
    when 'platform'             then account_class(debit) = 'pool' and credit = 7
    when 'tax'                  then account_class(debit) = 'pool' and credit = 10
    when 'round_refund'         then account_class(debit) = 'pool' and credit > 1000
    when 'disbursement'         then debit = 6 and credit = 2
    when 'gift'                 then debit > 1000 and credit = 6
    when 'wd_hold'              then debit > 1000 and credit = 3
    when 'wd_paid'              then debit = 3 and credit = 2
    when 'wd_back'              then debit = 3 and credit > 1000
    when 'wd_reversed'          then debit = 2 and credit > 1000
    when 'wd_conflict'          then debit = 9 and credit = 2
    when 'wd_conflict_back'     then debit = 2 and credit = 9
    when 'refund_hold'          then debit > 1000 and credit = 4
    when 'refund_paid'          then debit = 4 and credit = 1
    when 'refund_failed'        then debit = 4 and (credit > 1000 or credit = 5)
    when 'refund_reversed'      then debit = 1 and (credit > 1000 or credit = 5)
    when 'refund_conflict'      then debit = 9 and credit = 1
    when 'refund_conflict_back' then debit = 1 and credit = 9
    when 'gateway_settled'      then debit in (2, 8) and credit = 1
    when 'chargeback'           then (debit > 1000 or debit = 9) and credit = 1
    when 'chargeback_back'      then debit = 1 and (credit > 1000 or credit = 9)
  end, false)
$$;

-- A conflict or dispute that comes again is numbered: its ref is the id, then `id#2`, `id#3`; the part
-- of a chargeback that nobody but we can pay ends in `#loss`.
create function subject_of(ref text) returns text immutable parallel safe language sql return split_part(ref, '#', 1);

-- A refund comes back only after it was paid; it is a loss only once it was given back, and the loss is
-- made good only after it; a chargeback is returned only after it was taken.
create function gateway_order() returns trigger language plpgsql as $$
begin
  if not exists (
    select from transfer t where
      case new.kind
        when 'refund_reversed'      then t.kind = 'refund_paid' and t.ref = new.ref
        when 'refund_conflict'      then t.kind in ('refund_failed', 'refund_reversed') and t.ref = subject_of(new.ref)
        when 'refund_conflict_back' then t.kind = 'refund_conflict' and t.ref = new.ref
        when 'chargeback_back'      then t.kind = 'chargeback' and t.ref = new.ref and t.amount = new.amount and t.debit = new.credit
      end) then
    raise exception '% of %: what it must follow was never booked', new.kind, new.ref using errcode = 'RZ002', constraint = 'gateway_order';
  end if;
  return new;
end $$;
create trigger gateway_order before insert on transfer for each row
  when (new.kind in ('refund_reversed', 'refund_conflict', 'refund_conflict_back', 'chargeback_back')) execute function gateway_order();

-- A refund that was paid may still come back: it has failed then.
create or replace function refund_moves() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE'
     or (new.id, new.order_id, new.member_id, new.suspense_id, new.amount) is distinct from (old.id, old.order_id, old.member_id, old.suspense_id, old.amount)
     or new.status <> old.status and not (
       old.status = 'requested' and new.status in ('approved', 'rejected', 'paid', 'failed')
       or old.status = 'approved' and new.status in ('sending', 'rejected', 'paid', 'failed')
       or old.status = 'sending' and new.status in ('approved', 'paid', 'failed')
       or old.status = 'paid' and new.status = 'failed') then
    raise exception 'refund %: from % to % is no way to go', old.id, old.status, case when tg_op = 'DELETE' then 'nothing' else new.status end
      using errcode = 'RZ003', constraint = 'refund_moves';
  end if;
  return new;
end $$;
create index refund_contradicted on refund (created_at) where problem in ('gateway_conflict', 'other_amount');

-- Disputes, as the gateway last told of them. `is_taken`: the money is with the payer's bank now.
create table dispute (
  -- The gateway's own.
  id         text primary key check (length(id) between 1 and 100 and id !~ '#'),
  order_id   text not null,
  payment_id text not null,
  amount     bigint not null check (amount > 0),
  type       text not null,
  status     text not null,
  state      text not null check (state in ('open', 'won', 'lost')),
  is_taken   boolean not null default false,
  -- Why the gateway's report was not booked: an administrator must check it.
  problem    text check (problem in ('unknown_payment', 'more_than_paid')),
  respond_by timestamptz,
  created_at timestamptz not null default roz_now(),
  updated_at timestamptz not null default roz_now()
);
create index dispute_by_order on dispute (order_id);
create index dispute_newest on dispute (created_at desc, id desc);
create index dispute_unbooked on dispute (created_at) where problem is not null;
select app_may('select, insert, update', 'dispute');
create index transfer_by_dispute on transfer (subject_of(ref)) where kind in ('chargeback', 'chargeback_back');

-- When the gateway is asked about a dispute: questions are numbered, and an answer counts only while
-- its question is the newest.
create table dispute_check (
  dispute_id text primary key check (length(dispute_id) between 1 and 100),
  asks       int not null default 0 check (asks >= 0),
  asked_at   timestamptz not null,
  ask_at     timestamptz
);
create index dispute_check_due on dispute_check (ask_at) where ask_at is not null;
select app_may('select, insert, update', 'dispute_check');
