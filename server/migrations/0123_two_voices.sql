-- What one person decides about outgoing money without a second person counts together, for 24 hours.
-- A voice counts above the limit only 48 hours after its account got its role.

alter table member
  -- Since when a staff account has its role; null: since before this migration.
  add column staff_since timestamptz,
  -- The owner who invited a staff account.
  add column vouched_by bigint;

create function keep_staff_since() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then new.staff_since := coalesce(new.staff_since, roz_now());
  elsif new.staff_role is distinct from old.staff_role then new.staff_since := roz_now();
  end if;
  return new;
end $$;
create trigger keep_staff_since before insert or update of staff_role on member for each row
  when (new.role = 'admin') execute function keep_staff_since();

-- Whether this person's voice counts above the limit: of the team now, and for 48 hours in this role.
create function is_settled_staff(person bigint) returns boolean stable language sql as $$
  select exists (select from member m where m.id = person and m.role = 'admin' and m.deleted_at is null
                    and coalesce(m.staff_since, '-infinity') <= roz_now() - interval '48 hours')
$$;

-- The person behind an account, as SHA-256 of a mailbox. In its first 48 hours an account is its inviter's hand.
create function hand_of(person bigint) returns bytea stable language sql as $$
  with recursive hand as (
    select m.id, m.staff_mailbox, case when m.created_at > roz_now() - interval '48 hours' then m.vouched_by end as inviter, 0 as depth
      from member m where m.id = person
    union all
    select m.id, m.staff_mailbox, case when m.created_at > roz_now() - interval '48 hours' then m.vouched_by end, h.depth + 1
      from hand h join member m on m.id = h.inviter where h.depth < 20)
  select coalesce((select staff_mailbox from hand order by depth desc limit 1), sha256(convert_to('account ' || person, 'UTF8')))
$$;

-- Decisions of one person alone: the amount left, or was credited, without a second person.
create table decided_alone (
  id      bigint generated always as identity primary key,
  hand    bytea not null check (octet_length(hand) = 32),
  by      bigint not null,
  -- What was decided: `withdrawal`, `refund`, `suspense_credit`, `suspense_pay`, or the kind of an outlay.
  kind    text not null check (kind <> ''),
  subject text not null check (subject <> ''),
  amount  bigint not null check (amount > 0),
  at      timestamptz not null default roz_now()
);
create index decided_alone_newest on decided_alone (at);
select append_only('decided_alone');
select app_may('select, insert', 'decided_alone');

-- Whoever made or changed the record of a person in need, its consent included, with any account.
create function wrote_beneficiary(person bigint, beneficiary_id uuid) returns boolean stable language sql as $$
  select exists (select from beneficiary b where b.id = beneficiary_id and is_same_person(b.created_by, person))
      or exists (select from audit_log a where a.subject = 'beneficiary:' || beneficiary_id and a.action = 'beneficiary.update'
                    and is_same_person(a.actor_id, person))
$$;

-- Whether this person requested or decided about one of these booked payments, so that somebody else must take its proof back: where
-- somebody else of the treasury is left who did neither. A proof that harms somebody must not stay public for lack of a person.
create function paid_it(person bigint, outlays uuid[]) returns boolean stable language sql as $$
  with booked as (select asked_by, decided_by from outlay where id = any (outlays) and status = 'booked')
  select exists (select from booked where is_same_person(decided_by, person) or is_same_person(asked_by, person))
     and exists (select from member m where m.role = 'admin' and m.deleted_at is null and m.staff_role in ('owner', 'finance')
                    and not exists (select from booked where is_same_person(decided_by, m.id) or is_same_person(asked_by, m.id)))
$$;
