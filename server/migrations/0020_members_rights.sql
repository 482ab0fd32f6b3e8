-- Members' rights: the mails that a member wants, and closed accounts.
-- Invariants: a closed wallet takes no money: late money is booked to SUSPENSE. A closed account keeps
-- no identity.

-- Mails that are neither about money nor about safety; Web Push is asked for.
alter table member
  add column wants_mail boolean not null default true,
  add column wants_push boolean not null default false;

alter table wallet add column is_closed boolean not null default false;

-- Columns that are erased with an account.
select app_may('select, insert, update, delete', 'notice');
select app_may('select, insert, delete', 'join_notice_read');
-- The details of an account that was closed are taken out of their row; its last four digits stay.
select app_may('select, insert, update', 'bank_account');

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
    when 'chargeback'           then (debit > 1000 or debit = 9) and credit = 1
    when 'chargeback_back'      then debit = 1 and (credit > 1000 or credit in (5, 9))
  end, false)
$$;

-- A chargeback is returned to the account that paid it, or to SUSPENSE if that account was closed since.
create or replace function gateway_order() returns trigger language plpgsql as $$
begin
  if not exists (
    select from transfer t where
      case new.kind
        when 'refund_reversed'      then t.kind = 'refund_paid' and t.ref = new.ref
        when 'refund_conflict'      then t.kind in ('refund_failed', 'refund_reversed') and t.ref = subject_of(new.ref)
        when 'refund_conflict_back' then t.kind = 'refund_conflict' and t.ref = new.ref
        when 'chargeback_back'      then t.kind = 'chargeback' and t.ref = new.ref and t.amount = new.amount
                                         and (t.debit = new.credit or t.debit > 1000 and new.credit = 5)
      end) then
    raise exception '% of %: what it must follow was never booked', new.kind, new.ref using errcode = 'RZ002', constraint = 'gateway_order';
  end if;
  return new;
end $$;
