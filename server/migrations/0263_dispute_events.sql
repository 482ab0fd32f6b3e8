-- Whether an event names a dispute is asked of every settlement; only the events about disputes are looked at.
-- outside a transaction
drop index concurrently if exists gateway_event_of_dispute;
create index concurrently gateway_event_of_dispute on gateway_settlement_event (event_id) where kind in ('dispute', 'dispute_back');
