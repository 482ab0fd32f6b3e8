-- Where money of a closed account goes: paid to its owner by hand, or back to the payer's bank that takes it again.
alter table suspense_item drop constraint suspense_item_status_check,
  add constraint suspense_item_status_check check (status in ('open', 'credited', 'refunded', 'paid', 'taken')),
  -- The bank's, of a payment by hand; or the chargeback that took it.
  add column reference text,
  add constraint suspense_gone_has_reference check ((status in ('paid', 'taken')) = (reference is not null)),
  -- Only money of a closed account belongs to no wallet and may have no source for a refund.
  add constraint suspense_of_closed_account check (status not in ('paid', 'taken') or reason = 'closed_account');
create index suspense_by_order on suspense_item (order_id);

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
  end, false)
$$;
