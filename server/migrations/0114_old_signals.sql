-- outside a transaction
-- Browsers and network addresses that nobody used for 180 days are forgotten.
drop index concurrently if exists signal_use_old;
create index concurrently signal_use_old on signal_use (seen_at) where kind in ('device', 'network');
