-- The help desk: who is helped and by which consent, the receipts, and the outlays that wait for a
-- second person or were booked. The ledger books an outlay under its id (disbursement.id is the text of outlay.id).

-- A person or family that is helped. public_name is all that the public ever reads, without a surname.
create table beneficiary (
  id                uuid primary key,
  public_name       text not null check (public_name <> ''),
  -- How the consent was given and on which day; both or neither. Without consent nothing is disbursed.
  consent_how       text check (consent_how in ('written', 'recorded', 'witnessed')),
  consented_on      date,
  is_child          boolean not null default false,
  -- A child's consent is given by this person.
  guardian_relation text check (guardian_relation in ('mother', 'father', 'grandparent', 'legal_guardian')),
  -- Only for staff, sealed with 'beneficiary:' || id.
  sealed_note       bytea,
  -- Once revoked, no page, story, notice or picture names the person. It is never undone.
  revoked_at        timestamptz,
  created_by        bigint not null references member (id),
  created_at        timestamptz not null default roz_now(),
  check ((consent_how is null) = (consented_on is null)),
  check (is_child or guardian_relation is null),
  check (not is_child or consent_how is null or guardian_relation is not null)
);
create index beneficiary_newest on beneficiary (created_at desc, id desc);
create index beneficiary_sealed_with on beneficiary (sealing_key_of(sealed_note));
select app_may('select, insert, update', 'beneficiary');

create function beneficiary_moves() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or (new.id, new.created_by, new.created_at) is distinct from (old.id, old.created_by, old.created_at)
     or old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at then
    raise exception 'beneficiary %: this is no way to go', old.id using errcode = 'RZ003', constraint = 'beneficiary_moves';
  end if;
  return new;
end $$;
create trigger beneficiary_moves before update or delete on beneficiary for each row execute function beneficiary_moves();

-- A receipt: its hash is that of the published bytes, and the evidence in the books of the day.
create table receipt (
  hash        bytea primary key check (octet_length(hash) = 32),
  -- Its name in the storage.
  file        text not null unique check (file <> ''),
  bytes       int not null check (bytes > 0),
  width       int not null check (width > 0),
  height      int not null check (height > 0),
  uploaded_by bigint not null references member (id),
  uploaded_at timestamptz not null default roz_now()
);
select append_only('receipt');
select app_may('select, insert', 'receipt');

-- Money that leaves the books by hand, or returns: requested by one person, booked or rejected once.
create table outlay (
  id             uuid primary key,
  kind           text not null check (kind in ('disbursement', 'disbursement_back', 'platform_out', 'tds_remitted', 'losses_covered')),
  amount_paise   bigint not null check (amount_paise > 0),
  -- Public words; never a name.
  purpose        text not null check (purpose <> ''),
  beneficiary_id uuid references beneficiary (id),
  -- Of money that came back: the disbursement that it corrects.
  corrects       uuid references outlay (id),
  -- Only another person than asked_by may book it.
  needs_second   boolean not null,
  status         text not null default 'requested' check (status in ('requested', 'booked', 'rejected')),
  asked_by       bigint not null references member (id),
  asked_at       timestamptz not null default roz_now(),
  decided_by     bigint references member (id),
  decided_at     timestamptz,
  -- Why it was rejected.
  decision       text,
  check ((kind in ('disbursement', 'disbursement_back')) = (beneficiary_id is not null)),
  check ((kind = 'disbursement_back') = (corrects is not null)),
  check ((status = 'requested') = (decided_by is null)),
  check ((decided_by is null) = (decided_at is null)),
  check ((status = 'rejected') = (decision is not null)),
  check (status <> 'booked' or not needs_second or decided_by <> asked_by)
);
create index outlay_newest on outlay (asked_at desc, id desc);
create index outlay_requested on outlay (asked_at) where status = 'requested';
create index outlay_by_beneficiary on outlay (beneficiary_id);
create index outlay_corrects on outlay (corrects) where corrects is not null;
select app_may('select, insert, update', 'outlay');

-- A request and its final state never change.
create function outlay_moves() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or old.status <> 'requested' or new.status = 'requested'
     or (new.id, new.kind, new.amount_paise, new.purpose, new.beneficiary_id, new.corrects, new.needs_second, new.asked_by, new.asked_at)
        is distinct from
        (old.id, old.kind, old.amount_paise, old.purpose, old.beneficiary_id, old.corrects, old.needs_second, old.asked_by, old.asked_at) then
    raise exception 'outlay %: this is no way to go', old.id using errcode = 'RZ003', constraint = 'outlay_moves';
  end if;
  return new;
end $$;
create trigger outlay_moves before update or delete on outlay for each row execute function outlay_moves();

-- The receipts of an outlay in the order of their pages.
create table outlay_receipt (
  outlay_id uuid not null references outlay (id),
  position  int not null check (position > 0),
  hash      bytea not null references receipt (hash),
  primary key (outlay_id, position),
  unique (outlay_id, hash)
);
create index outlay_receipt_of on outlay_receipt (hash);
select append_only('outlay_receipt');
select app_may('select, insert', 'outlay_receipt');

-- The outlays that were booked, as everybody may read them: after a revocation without name and receipts.
create view outlay_public as
  select o.id, o.id::text as disbursement_id, o.kind, o.amount_paise, o.purpose, o.corrects, o.decided_at as booked_at,
         b.revoked_at is not null as is_revoked,
         case when b.revoked_at is null then b.public_name end as public_name,
         case when b.revoked_at is null then array(
           select encode(r.hash, 'hex') from outlay_receipt r where r.outlay_id = o.id order by r.position) else '{}' end as receipts
    from outlay o left join beneficiary b on b.id = o.beneficiary_id
   where o.status = 'booked';
select app_may('select', 'outlay_public');

-- A story tells of one disbursement, and may be published by itself at a time.
alter table story
  add column outlay_id uuid references outlay (id),
  add column publish_at timestamptz;
create index story_by_outlay on story (outlay_id) where outlay_id is not null;
create index story_to_publish on story (publish_at) where publish_at is not null and not is_active;

-- No story of a person who revoked the consent is published. The lock makes a publication and a revocation wait for each other.
create function story_has_consent() returns trigger language plpgsql as $$
declare revoked timestamptz;
begin
  select b.revoked_at into revoked from outlay o join beneficiary b on b.id = o.beneficiary_id where o.id = new.outlay_id for share of b;
  if revoked is not null then
    raise exception 'story %: the consent was revoked', new.id using errcode = 'RZ003', constraint = 'story_has_consent';
  end if;
  return new;
end $$;
create trigger story_has_consent before insert or update on story for each row
  when (new.is_active and new.outlay_id is not null) execute function story_has_consent();
