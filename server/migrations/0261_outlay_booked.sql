-- The to-do list counts what was booked in the last 30 days and lacks a language, without a look at older years.
-- outside a transaction
drop index concurrently if exists outlay_booked;
create index concurrently outlay_booked on outlay (decided_at) where status = 'booked';
