-- A recorded consent is not removed: only a revocation ends it, because pages, stories and receipts ask for a revocation alone.
create or replace function beneficiary_moves() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or (new.id, new.created_by, new.created_at) is distinct from (old.id, old.created_by, old.created_at)
     or old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at
     or old.consent_how is not null and new.consent_how is null then
    raise exception 'beneficiary %: this is no way to go', old.id using errcode = 'RZ003', constraint = 'beneficiary_moves';
  end if;
  return new;
end $$;
