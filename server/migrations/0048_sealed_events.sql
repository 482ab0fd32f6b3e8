-- A payment's event names its payer (phone, email, UPI id): the body is sealed, as a payout's is.
-- Older bodies stay in `payload` until the server, or `npm run reseal`, has sealed them: SQL has no SECRET_KEY.
alter table gateway_event
  add column sealed bytea,
  alter column payload drop not null,
  add constraint gateway_event_has_one_body check (num_nonnulls(payload, sealed) = 1);
create index gateway_event_sealed_with on gateway_event (sealing_key_of(sealed));
create index gateway_event_plain on gateway_event (event_key) where payload is not null;
