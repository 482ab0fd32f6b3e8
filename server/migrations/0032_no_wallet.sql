-- A payment for an order whose account has no wallet is booked to SUSPENSE, like any payment that no wallet can take.
alter table suspense_item drop constraint suspense_item_reason_check,
  add constraint suspense_item_reason_check
    check (reason in ('unknown_order', 'other_amount', 'second_payment', 'closed_account', 'no_wallet'));
