-- Indexes for public pages and the nightly work: neither reads the whole of a growing ledger.

-- The help fund: these kinds, and no other, reach it (transfer_allowed).
create index transfer_of_help_fund on transfer (kind, transfer_id) include (amount) where kind in ('need', 'gift', 'disbursement');
-- Refunds that may belong to no member (REFUNDS_PENDING of a day's books).
create index transfer_of_refunds on transfer (day) where kind in ('suspense_refund', 'refund_paid', 'refund_failed');
