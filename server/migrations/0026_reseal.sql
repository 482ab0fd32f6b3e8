-- Indexes that find values sealed with an old SECRET_KEY, and the claims on ticket keys.
-- Invariants: an index finds each value that is not sealed with the present key. So a start detects
-- unreadable values at once, and a reseal resumes. A claim outlives its member without naming them.

-- The key that a value was sealed with (secrets.ts: one byte of version, four of the key's id); null of an empty one.
create function sealing_key_of(sealed bytea) returns bytea immutable parallel safe language sql
  return nullif(substring(sealed from 2 for 4), ''::bytea);

create index ticket_key_sealed_with on ticket_key (sealing_key_of(sealed_key));
create index log_key_sealed_with on log_key (sealing_key_of(sealed_seed));
create index bank_account_sealed_with on bank_account (sealing_key_of(sealed));
create index payout_event_sealed_with on payout_event (sealing_key_of(sealed));
create index push_key_sealed_with on push_key (sealing_key_of(sealed_private));
create index push_device_sealed_with on push_device (sealing_key_of(sealed));
-- The secret of a round that has ended was published with its result, or will never be asked for.
create index round_sealed_with on round (sealing_key_of(sealed_secret)) where status in ('open', 'closed', 'drawn');

-- For sealing them again.
select app_may('select, insert, update', 'push_key');
select app_may('select, insert, update, delete', 'payout_event');

-- Ticket keys are 32 random bytes, so a plain hash tells nothing about them, as a ticket does not: it
-- needs no SECRET_KEY, and still keeps a key from being taken twice when the key itself is erased.
-- The claims of before, under a SECRET_KEY that SQL does not have, go and nothing refills them: no
-- version before this one was released.
delete from ticket_key_claim;
alter table ticket_key_claim alter column member_id drop not null;
create function claim_is_forgotten() returns trigger language plpgsql as $$
begin
  if new.fingerprint is distinct from old.fingerprint or new.member_id is not null then
    raise exception 'a claim changes by forgetting its member alone' using errcode = 'RZ001';
  end if;
  return new;
end $$;
create trigger claim_is_forgotten before update on ticket_key_claim for each row execute function claim_is_forgotten();
select app_may('select, insert, update', 'ticket_key_claim');
