-- A published picture can be withheld, for example one with a phone number that nobody covered. Its hash stays in the books.
-- An upload that no request names may go.

create table receipt_withheld (
  hash        bytea primary key references receipt (hash),
  reason      text not null check (reason <> ''),
  withheld_by bigint not null references member (id),
  withheld_at timestamptz not null default roz_now()
);
select append_only('receipt_withheld');
select app_may('select, insert', 'receipt_withheld');

-- As before, and without the withheld pictures.
create or replace view outlay_public as
  select o.id, o.id::text as disbursement_id, o.kind, o.amount_paise, o.purpose, o.corrects, o.decided_at as booked_at,
         b.revoked_at is not null as is_revoked,
         case when b.revoked_at is null then b.public_name end as public_name,
         case when b.revoked_at is null then array(
           select encode(r.hash, 'hex') from outlay_receipt r
            where r.outlay_id = o.id and not exists (select from receipt_withheld w where w.hash = r.hash) order by r.position) else '{}' end as receipts,
         case when b.revoked_at is null then array(
           select encode(r.hash, 'hex') from outlay_receipt r join receipt_withheld w on w.hash = r.hash
            where r.outlay_id = o.id order by r.position) else '{}' end as withheld
    from outlay o left join beneficiary b on b.id = o.beneficiary_id
   where o.status = 'booked';

-- A receipt of an outlay stays: outlay_receipt references it.
drop trigger rows_stay on receipt;
create trigger rows_stay before update on receipt for each row execute function refuse_change();
select app_may('select, insert, delete', 'receipt');

-- The uploads from before this migration. A later one brings its job with it.
insert into job (kind, key, payload, due_at)
select 'forget_receipt', r.file, jsonb_build_object('hash', encode(r.hash, 'hex')), r.uploaded_at + interval '1 day'
  from receipt r where not exists (select from outlay_receipt l where l.hash = r.hash)
on conflict (kind, key) do nothing;
