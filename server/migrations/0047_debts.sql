-- A debt is the part of a chargeback that the member's wallet could not pay. LOSSES bears it until
-- released, won or returned money pays it. One row for each turn of a dispute.
create table debt (
  id          bigint generated always as identity primary key,
  -- The turn: `d1`, `d1#2`; its loss is the chargeback `…#loss`, its payments are `…#debt1`, `…#debt2`.
  ref         text not null unique,
  member_id   bigint not null check (member_id > 1000),
  amount      bigint not null check (amount > 0),
  paid        bigint not null default 0 check (paid between 0 and amount),
  -- The bank returned what it took: nothing is owed, and what was paid was given back.
  returned_at timestamptz,
  created_at  timestamptz not null default roz_now()
);
create index debt_open on debt (member_id, id) where paid < amount and returned_at is null;
select app_may('select, insert, update', 'debt');

-- A debt only shrinks, and one that was returned stays as it was.
create function debt_moves() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or old.returned_at is not null or new.paid < old.paid
     or (new.id, new.ref, new.member_id, new.amount) is distinct from (old.id, old.ref, old.member_id, old.amount) then
    raise exception 'debt %: this is no way to go', old.ref using errcode = 'RZ003', constraint = 'debt_moves';
  end if;
  return new;
end $$;
create trigger debt_moves before update or delete on debt for each row execute function debt_moves();

create or replace function transfer_allowed(kind text, debit bigint, credit bigint) returns boolean immutable parallel safe language sql as $$
  select coalesce(case kind
    when 'topup'                then debit = 1 and credit > 1000
    when 'topup_suspense'       then debit = 1 and credit = 5
    when 'suspense_credit'      then debit = 5 and credit > 1000
    when 'suspense_refund'      then debit = 5 and credit = 4
    when 'suspense_paid'        then debit = 5 and credit = 2
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
    when 'wd_reversed'          then debit = 2 and (credit > 1000 or credit = 5)
    when 'wd_conflict'          then debit = 9 and credit = 2
    when 'wd_conflict_back'     then debit = 2 and credit = 9
    when 'refund_hold'          then debit > 1000 and credit = 4
    when 'refund_paid'          then debit = 4 and credit = 1
    when 'refund_failed'        then debit = 4 and (credit > 1000 or credit = 5)
    when 'refund_reversed'      then debit = 1 and (credit > 1000 or credit = 5)
    when 'refund_conflict'      then debit = 9 and credit = 1
    when 'refund_conflict_back' then debit = 1 and credit = 9
    when 'gateway_settled'      then debit in (2, 8) and credit = 1
    when 'chargeback'           then (debit > 1000 or debit in (5, 9)) and credit = 1
    when 'chargeback_back'      then debit = 1 and (credit > 1000 or credit in (5, 9))
    when 'debt_paid'            then (debit > 1000 or debit = 5) and credit = 9
    when 'debt_back'            then debit = 9 and (credit > 1000 or credit = 5)
  end, false)
$$;

drop index transfer_by_dispute;
create index transfer_by_dispute on transfer (subject_of(ref)) where kind in ('chargeback', 'chargeback_back', 'debt_paid', 'debt_back');

-- A debt is paid only after its loss was booked. It is returned only to the account that paid, or to
-- SUSPENSE if that account was closed since.
create function debt_order() returns trigger language plpgsql as $$
begin
  if not exists (
    select from transfer t where
      case new.kind
        when 'debt_paid' then t.kind = 'chargeback' and t.debit = 9 and t.ref = regexp_replace(new.ref, '#debt[0-9]+$', '#loss')
        when 'debt_back' then t.kind = 'debt_paid' and t.ref = new.ref and t.amount = new.amount
                              and (t.debit = new.credit or t.debit > 1000 and new.credit = 5)
      end) then
    raise exception '% of %: what it must follow was never booked', new.kind, new.ref using errcode = 'RZ002', constraint = 'debt_order';
  end if;
  return new;
end $$;
create trigger debt_order before insert on transfer for each row
  when (new.kind in ('debt_paid', 'debt_back')) execute function debt_order();

-- Losses from before this migration.
insert into debt (ref, member_id, amount)
select regexp_replace(t.ref, '#loss$', ''), o.member_id, t.amount
  from transfer t join dispute d on d.id = subject_of(t.ref) join topup o on o.order_id = d.order_id and o.payment_id = d.payment_id
 where t.kind = 'chargeback' and t.debit = 9 and not exists (select from transfer b where b.kind = 'chargeback_back' and b.ref = t.ref)
 order by t.transfer_id;
