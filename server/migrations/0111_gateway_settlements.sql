-- A settlement of the gateway: the net amount that it paid into our bank (BANK to GATEWAY), and the fee that it kept
-- (GATEWAY_FEES to GATEWAY). Staff record it with its report. It is requested, approved and proven like a house entry, but its
-- report names payments of members: neither the report nor the request is ever public.
-- brief: outlays and receipts are a few a day, and a trigger reads no row.

alter table outlay
  drop constraint outlay_kind_check,
  -- Of a settlement: the fee, and the day on which the gateway paid. `purpose` is the gateway's number of it.
  add column fee_paise bigint,
  add column settled_on date constraint outlay_settlement check (case kind
    when 'gateway_settled' then num_nulls(settled_on, fee_paise) = 0 and fee_paise >= 0
    else num_nulls(settled_on, fee_paise) = 2 and kind in ('disbursement', 'disbursement_back', 'platform_out', 'tds_remitted', 'losses_covered')
  end);

create or replace function outlay_moves() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or old.status <> 'requested' or new.status = 'requested'
     or (new.id, new.kind, new.amount_paise, new.purpose, new.beneficiary_id, new.corrects, new.needs_second, new.asked_by, new.asked_at,
         new.fee_paise, new.settled_on)
        is distinct from
        (old.id, old.kind, old.amount_paise, old.purpose, old.beneficiary_id, old.corrects, old.needs_second, old.asked_by, old.asked_at,
         old.fee_paise, old.settled_on) then
    raise exception 'outlay %: this is no way to go', old.id using errcode = 'RZ003', constraint = 'outlay_moves';
  end if;
  -- The asker's own approval is refused by the table's check.
  if new.status = 'booked' and new.needs_second and new.asked_by <> new.decided_by and is_same_person(new.asked_by, new.decided_by) then
    raise exception 'outlay %: it was asked for by the same person', old.id using errcode = 'RZ003', constraint = 'outlay_moves';
  end if;
  return new;
end $$;

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
   where o.status = 'booked' and o.kind <> 'gateway_settled';

-- The settlements that are booked. entry_id is the ref of the net transfer; the fee's ref is entry_id with '#fee'.
create table gateway_settlement (
  -- The gateway's number of it: the same settlement is never booked twice.
  reference text primary key check (reference = upper(reference) and reference <> ''),
  entry_id  text not null unique
);
select append_only('gateway_settlement');
select app_may('select, insert', 'gateway_settlement');

-- The kinds that have receipts are checked here, beside the rule that an entry is booked with them.
alter table evidence drop constraint evidence_kind_check;
create or replace function guard_entry_parts() returns trigger set search_path = public, pg_temp language plpgsql as $$
declare
  entry_kind text;
  entry_ref text;
begin
  if tg_table_name = 'evidence' then
    entry_kind := new.kind;
    entry_ref := new.ref;
  else
    entry_kind := case when new.paise > 0 then 'disbursement' else 'disbursement_back' end;
    entry_ref := new.entry_id;
  end if;
  if entry_kind not in ('disbursement', 'disbursement_back', 'platform_out', 'tds_remitted', 'losses_covered', 'gateway_settled')
     or not exists (select from transfer t where t.kind = entry_kind and t.ref = entry_ref and t.xmin = pg_current_xact_id()::xid) then
    raise exception '% % has parts that were not booked with it', entry_kind, entry_ref using errcode = 'RZ002', constraint = 'guard_entry_parts';
  end if;
  return new;
end $$;

-- A settlement is complete when its transaction ends: with the gateway's number, its report and the amount that reached the bank.
create function guard_settlement() returns trigger set search_path = public, pg_temp language plpgsql as $$
declare
  entry text := subject_of(new.ref);
begin
  if new.ref <> (case new.debit when 8 then entry || '#fee' else entry end)
     or not exists (select from gateway_settlement s where s.entry_id = entry)
     or not exists (select from evidence e where e.kind = 'gateway_settled' and e.ref = entry)
     or not exists (select from transfer t where t.kind = 'gateway_settled' and t.ref = entry and t.debit = 2) then
    raise exception 'settlement % is without its number, its report or its net amount', new.ref using errcode = 'RZ002', constraint = 'guard_settlement';
  end if;
  return null;
end $$;
create constraint trigger guard_settlement after insert on transfer deferrable initially deferred for each row
  when (new.kind = 'gateway_settled') execute function guard_settlement();
