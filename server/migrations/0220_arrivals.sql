-- Whether help arrived: what somebody other than the payer heard or saw. The newest row of a payment counts. The books do not change.
create table arrival (
  id          bigint generated always as identity primary key,
  outlay_id   uuid not null references outlay (id),
  received    boolean not null,
  how         text not null check (how <> ''),
  -- The day of the call, visit or signature.
  heard_on    date not null,
  -- The picture of a signature or thumbprint. Only the team sees it.
  paper       bytea unique references receipt (hash),
  -- The team's words, where the help did not arrive.
  reason      text check (reason <> ''),
  recorded_by bigint not null references member (id),
  recorded_at timestamptz not null default roz_now(),
  check (received = (reason is null)),
  check (paper is null or received)
);
create index arrival_of on arrival (outlay_id, id desc);
create index arrival_by on arrival (recorded_by);
create index arrival_recorded on arrival (recorded_at);
select append_only('arrival');
select app_may('select, insert', 'arrival');

-- Nobody confirms the arrival of money that they requested or approved. The writer of the person's record does so only where nobody else
-- of the team is left who did neither.
create function may_confirm_arrival(person bigint, outlay_id uuid) returns boolean stable language sql as $$
  with paid as (select o.asked_by, o.decided_by, o.beneficiary_id from outlay o where o.id = outlay_id)
  select exists (select from paid where not is_same_person(asked_by, person) and not is_same_person(decided_by, person)
    and (not wrote_beneficiary(person, beneficiary_id) or not exists (
      select from member m where m.role = 'admin' and m.deleted_at is null and m.staff_role in ('owner', 'finance', 'editor')
         and not is_same_person(asked_by, m.id) and not is_same_person(decided_by, m.id) and not wrote_beneficiary(m.id, beneficiary_id))))
$$;

create function arrival_is_judged() returns trigger language plpgsql as $$
begin
  -- The lock makes the second of two records wait for the first.
  perform from outlay where id = new.outlay_id and kind = 'disbursement' and status = 'booked' for no key update;
  if not found or new.received and not may_confirm_arrival(new.recorded_by, new.outlay_id)
     or new.received is not distinct from (select a.received from arrival a where a.outlay_id = new.outlay_id order by a.id desc limit 1) then
    raise exception 'arrival of %: not sent, said already, or said by the payer', new.outlay_id
      using errcode = 'RZ003', constraint = 'arrival_is_judged';
  end if;
  return new;
end $$;
create trigger arrival_is_judged before insert on arrival for each row execute function arrival_is_judged();

-- As before, and when the help was received.
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
            from arrival a where a.outlay_id = o.id order by a.id desc limit 1) as received
    from outlay o left join beneficiary b on b.id = o.beneficiary_id
   where o.status = 'booked' and o.kind <> 'gateway_settled';
