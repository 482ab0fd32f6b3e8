-- AutoPay for the team: since when the gateway has named a status that we do not know, and whether the team stopped a mandate.
-- brief: the tables are new in this release, which is the first to write them.
alter table autopay_mandate add column unknown_since timestamptz;
alter table autopay_mandate add column stopped_by bigint;
create index autopay_mandate_newest on autopay_mandate (created_at, id);
create index autopay_mandate_state on autopay_mandate (state);
create index autopay_mandate_unknown on autopay_mandate (unknown_since) where unknown_since is not null;
create index autopay_charge_waiting on autopay_charge (day) where status in ('raising', 'open') and kind = 'charge';
