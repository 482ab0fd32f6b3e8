-- What was paid on an order whose account holds no wallet waits in SUSPENSE like any payment without a place.
alter table suspense_item drop constraint suspense_item_reason_check,
  add constraint suspense_item_reason_check
    check (reason in ('unknown_order', 'other_amount', 'second_payment', 'closed_account', 'no_wallet'));
