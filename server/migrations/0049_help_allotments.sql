-- Outlays and their sources: every paisa of a disbursement is the share of a day. Every outlay is proven by receipts, each
-- used once in all the books. Rows stay: a disbursement is corrected by an entry of its own.

create or replace function transfer_allowed(kind text, debit bigint, credit bigint) returns boolean immutable parallel safe language sql as $$
  select coalesce(case kind
    when 'topup'                then debit = 1 and credit > 1000
    when 'topup_suspense'       then debit = 1 and credit = 5
    when 'suspense_credit'      then debit = 5 and credit > 1000
    when 'suspense_refund'      then debit = 5 and credit = 4
    when 'suspense_paid'        then debit = 5 and credit = 2
    when 'prize'                then account_class(debit) = 'pool' and credit > 1000
    when 'need'                 then account_class(debit) = 'pool' and credit = 6
    when 'platform'             then account_class(debit) = 'pool' and credit = 7
    when 'tax'                  then account_class(debit) = 'pool' and credit = 10
    when 'round_refund'         then account_class(debit) = 'pool' and credit > 1000
    when 'disbursement'         then debit = 6 and credit = 2
    when 'disbursement_back'    then debit = 2 and credit = 6
    when 'gift'                 then debit > 1000 and credit = 6
    when 'platform_out'         then debit = 7 and credit = 2
    when 'tds_remitted'         then debit = 10 and credit = 2
    when 'losses_covered'       then debit = 7 and credit = 9
    when 'wd_hold'              then debit > 1000 and credit = 3
    when 'wd_paid'              then debit = 3 and credit = 2
    when 'wd_back'              then debit = 3 and credit > 1000
    when 'wd_reversed'          then debit = 2 and (credit > 1000 or credit = 5)
    when 'wd_conflict'          then debit = 9 and credit = 2
    when 'wd_conflict_back'     then debit = 2 and credit = 9
    when 'refund_hold'          then debit > 1000 and credit = 4
    when 'refund_paid'          then debit = 4 and credit = 1
    when 'refund_failed'        then debit = 4 and (credit > 1000 or credit = 5)
    when 'refund_reversed'      then debit = 1 and (credit > 1000 or credit = 5)
    when 'refund_conflict'      then debit = 9 and credit = 1
    when 'refund_conflict_back' then debit = 1 and credit = 9
    when 'gateway_settled'      then debit in (2, 8) and credit = 1
    when 'chargeback'           then (debit > 1000 or debit in (5, 9)) and credit = 1
    when 'chargeback_back'      then debit = 1 and (credit > 1000 or credit in (5, 9))
    when 'debt_paid'            then (debit > 1000 or debit = 5) and credit = 9
    when 'debt_back'            then debit = 9 and (credit > 1000 or credit = 5)
  end, false)
$$;

-- The receipts of an entry: SHA-256 of each published file. kind and ref are the transfer's.
create table evidence (
  hash bytea primary key check (octet_length(hash) = 32),
  kind text not null check (kind in ('disbursement', 'disbursement_back', 'platform_out', 'tds_remitted', 'losses_covered')),
  ref  text not null
);
create index evidence_of_entry on evidence (kind, ref);
select append_only('evidence');
select app_may('select, insert', 'evidence');

insert into evidence (hash, kind, ref) select evidence, 'disbursement', id from disbursement;
drop index disbursement_evidence_once;
alter table disbursement drop column evidence, add column corrects text references disbursement;
create index disbursement_corrections on disbursement (corrects) where corrects is not null;

-- A day's share given to a disbursement, or taken back from it by a correction (below zero).
create table help_allotment (
  -- The entry that gave or took back: the disbursement itself, or its correction.
  entry_id        text not null references disbursement,
  disbursement_id text not null references disbursement,
  day             date not null,
  paise           bigint not null,
  -- The day of the entry's transfer.
  posted_on       date not null,
  primary key (entry_id, day),
  check (paise <> 0 and (paise > 0) = (entry_id = disbursement_id))
);
create index help_allotment_of_day on help_allotment (day) include (paise, posted_on);
create index help_allotment_of_disbursement on help_allotment (disbursement_id, day) include (paise);
create index help_allotment_posted on help_allotment (posted_on);
select append_only('help_allotment');
select app_may('select, insert', 'help_allotment');

-- Disbursements from before this migration: first in, first out.
insert into help_allotment (entry_id, disbursement_id, day, paise, posted_on)
select s.ref, s.ref, c.day, least(s.upto, c.upto) - greatest(s.upto - s.amount, c.upto - c.amount), s.day
  from (select ref, day, amount, sum(amount) over (order by day, transfer_id) as upto from transfer where kind = 'disbursement') s
  join (select day, amount, sum(amount) over (order by day) as upto
          from (select case kind when 'need' then ref::date else day end as day, sum(amount) as amount
                  from transfer where kind in ('need', 'gift') group by 1) came) c
    on s.upto > c.upto - c.amount and c.upto > s.upto - s.amount;

drop index transfer_of_help_fund;
create index transfer_of_help_fund on transfer (day, transfer_id) include (kind, amount) where kind in ('need', 'gift', 'disbursement', 'disbursement_back');
create index transfer_outlays on transfer (day) where kind in ('disbursement', 'disbursement_back', 'platform_out', 'tds_remitted', 'losses_covered');
create index transfer_of_house on transfer (debit, credit) include (day, amount)
  where debit in (7, 8, 9, 10) or credit in (7, 8, 9, 10);

-- The help fund day by day, at the end of `until`: a round's need share belongs to the round's day, a gift to its own day.
create function help_days(until date) returns table (day date, share bigint, given bigint, open bigint) stable language sql as $$
  select day, sum(share)::bigint, sum(given)::bigint, (sum(share) - sum(given))::bigint from (
    select ref::date as day, amount as share, 0 as given from transfer where kind = 'need' and transfer.day <= until
    union all select transfer.day, amount, 0 from transfer where kind = 'gift' and transfer.day <= until
    union all select help_allotment.day, 0, paise from help_allotment where posted_on <= until) moved
   group by day
$$;
create view help_day as select * from help_days('infinity');
select app_may('select', 'help_day');

-- The day of an outlay: never before the one of the outlay before it, even if the clock was set back. So the money that it
-- takes is there at the end of each day since. The caller holds the lock of outlays.
create function outlay_day() returns date language plpgsql as $$
declare
  last date;
begin
  select max(day) into last from transfer where kind in ('disbursement', 'disbursement_back', 'platform_out', 'tds_remitted', 'losses_covered');
  if last > ist_day(roz_now()) then perform set_config('roz.posting_day', last::text, true); end if;
  return posting_day();
end $$;

-- The amount that a house account can pay on a day: its income until then, less its outlays.
create function house_balance(account bigint, until date) returns bigint stable language sql as $$
  select coalesce(sum(case when debit = account then -amount when day <= until then amount end), 0)::bigint from transfer
   where (debit in (7, 8, 9, 10) or credit in (7, 8, 9, 10)) and account in (debit, credit)
$$;

-- Allotments and receipts are written with their entry, or never.
create function guard_entry_parts() returns trigger set search_path = public, pg_temp language plpgsql as $$
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
  if not exists (select from transfer t where t.kind = entry_kind and t.ref = entry_ref and t.xmin = pg_current_xact_id()::xid) then
    raise exception '% % has parts that were not booked with it', entry_kind, entry_ref using errcode = 'RZ002', constraint = 'guard_entry_parts';
  end if;
  return new;
end $$;
create trigger guard_entry_parts before insert on evidence for each row execute function guard_entry_parts();
create trigger guard_entry_parts before insert on help_allotment for each row execute function guard_entry_parts();

-- No day is given more than its share, and no disbursement gives back more than it took of a day.
create function guard_allotments() returns trigger set search_path = public, pg_temp language plpgsql as $$
begin
  if new.posted_on is distinct from (select t.day from transfer t
       where t.kind = case when new.paise > 0 then 'disbursement' else 'disbursement_back' end and t.ref = new.entry_id)
     or coalesce((select sum(paise) from help_allotment a where a.disbursement_id = new.disbursement_id and a.day = new.day), 0) < 0
     or coalesce((select sum(paise) from help_allotment a where a.day = new.day), 0)
        > coalesce((select sum(t.amount) from transfer t where t.kind = 'need' and t.ref = new.day::text and t.day <= new.posted_on), 0)
          + coalesce((select sum(t.amount) from transfer t where t.kind = 'gift' and t.day = new.day and t.day <= new.posted_on), 0)
  then
    raise exception 'day % is given % by %: more than its share', new.day, new.paise, new.entry_id using errcode = 'RZ002', constraint = 'guard_allotments';
  end if;
  return null;
end $$;
create trigger guard_allotments after insert on help_allotment for each row execute function guard_allotments();

-- An outlay is complete when its transaction ends: proven, every paisa of help is of a day, and its account had it.
create function guard_outlay() returns trigger set search_path = public, pg_temp language plpgsql as $$
begin
  if not exists (select from evidence e where e.kind = new.kind and e.ref = new.ref)
     or new.kind in ('disbursement', 'disbursement_back')
        and ((select d.amount = new.amount and (d.corrects is not null) = (new.kind = 'disbursement_back') from disbursement d where d.id = new.ref) is not true
          or (select abs(sum(a.paise)) from help_allotment a where a.entry_id = new.ref) is distinct from new.amount)
     or new.debit in (7, 10) and house_balance(new.debit, new.day) < 0 then
    raise exception '% % is without its receipt, its days or its money', new.kind, new.ref using errcode = 'RZ002', constraint = 'guard_outlay';
  end if;
  return null;
end $$;
create constraint trigger guard_outlay after insert on transfer deferrable initially deferred for each row
  when (new.kind in ('disbursement', 'disbursement_back', 'platform_out', 'tds_remitted', 'losses_covered')) execute function guard_outlay();
