-- The portal's search for withdrawals and refunds by id, gateway id and bank reference (features/payouts/money-search.ts).

create function withdrawal_words(id uuid, reference text) returns text immutable parallel safe language sql return
  lower(' ' || id || ' ' || replace(id::text, '-', '') || ' ' || coalesce(reference, '') || ' ');
create index withdrawal_search on withdrawal using gin (grams_of(withdrawal_words(id, reference)));

create function refund_words(id uuid, order_id text, reference text) returns text immutable parallel safe language sql return
  lower(' ' || id || ' ' || replace(id::text, '-', '') || ' ' || order_id || ' ' || coalesce(reference, '') || ' ');
create index refund_search on refund using gin (grams_of(refund_words(id, order_id, reference)));
