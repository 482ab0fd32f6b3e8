-- The payouts' raw events name bank accounts: they are kept sealed, and go after ninety days.
alter table payout_event drop column payload;
alter table payout_event add column sealed bytea not null;

-- For the operator's metric of contradicted withdrawals.
create index withdrawal_contradicted on withdrawal (created_at) where flags && array['gateway_conflict', 'other_amount'];
