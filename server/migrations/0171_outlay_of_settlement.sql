-- outside a transaction
drop index concurrently if exists outlay_of_settlement;
create index concurrently outlay_of_settlement on outlay (purpose) where kind = 'gateway_settled';
