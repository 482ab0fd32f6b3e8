-- The purpose of an outlay may have a text per language. `purpose` has the words in the language `written_in`.
alter table outlay
  add column written_in   text not null default 'en' check (written_in <> ''),
  -- The other languages: {"hi": "…"}.
  add column translations jsonb not null default '{}' check (jsonb_typeof(translations) = 'object');

-- As before. A language that is missing may be added, or its text changed, until a rejection; nothing else of the row then changes.
create or replace function outlay_moves() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.status <> 'rejected' and old.kind <> 'gateway_settled'
     and new.translations <> old.translations and to_jsonb(new) - 'translations' = to_jsonb(old) - 'translations' then
    return new;
  end if;
  if tg_op = 'DELETE' or old.status <> 'requested' or new.status = 'requested'
     or (new.id, new.kind, new.amount_paise, new.purpose, new.beneficiary_id, new.corrects, new.needs_second, new.asked_by, new.asked_at,
         new.fee_paise, new.settled_on, new.written_in, new.translations)
        is distinct from
        (old.id, old.kind, old.amount_paise, old.purpose, old.beneficiary_id, old.corrects, old.needs_second, old.asked_by, old.asked_at,
         old.fee_paise, old.settled_on, old.written_in, old.translations) then
    raise exception 'outlay %: this is no way to go', old.id using errcode = 'RZ003', constraint = 'outlay_moves';
  end if;
  -- The asker's own approval is refused by the table's check.
  if new.status = 'booked' and new.needs_second and new.asked_by <> new.decided_by and is_same_person(new.asked_by, new.decided_by) then
    raise exception 'outlay %: it was asked for by the same person', old.id using errcode = 'RZ003', constraint = 'outlay_moves';
  end if;
  return new;
end $$;

-- As before, and the purpose in other languages.
create or replace view outlay_public as
  select o.id, o.id::text as disbursement_id, o.kind, o.amount_paise, o.purpose, o.corrects, o.decided_at as booked_at,
         b.revoked_at is not null as is_revoked,
         case when b.revoked_at is null then b.public_name end as public_name,
         case when b.revoked_at is null then array(
           select encode(r.hash, 'hex') from outlay_receipt r
            where r.outlay_id = o.id and not exists (select from receipt_withheld w where w.hash = r.hash) order by r.position) else '{}' end as receipts,
         case when b.revoked_at is null then array(
           select encode(r.hash, 'hex') from outlay_receipt r join receipt_withheld w on w.hash = r.hash
            where r.outlay_id = o.id order by r.position) else '{}' end as withheld,
         (select case when a.received then jsonb_build_object('on', a.heard_on, 'how', a.how) end
            from arrival a where a.outlay_id = o.id order by a.id desc limit 1) as received,
         o.written_in, o.translations
    from outlay o left join beneficiary b on b.id = o.beneficiary_id
   where o.status = 'booked' and o.kind <> 'gateway_settled';
