-- Two persons are two mailboxes: a second account of one mailbox, also one that was made after a removal, is the same person.

-- SHA-256 of a staff account's mailbox. It stays after the removal, which takes the address.
alter table member add column staff_mailbox bytea check (octet_length(staff_mailbox) = 32);

create function keep_staff_mailbox() returns trigger language plpgsql as $$
begin
  new.staff_mailbox := sha256(convert_to(mailbox_of(new.email), 'UTF8'));
  return new;
end $$;
create trigger keep_staff_mailbox before insert or update of email, role on member for each row
  when (new.role = 'admin' and new.email is not null) execute function keep_staff_mailbox();

-- The address of somebody who was removed before is only in the audit log.
update member m set staff_mailbox = sha256(convert_to(mailbox_of(coalesce(m.email, (
    select a.before ->> 'email' from audit_log a where a.subject = 'member:' || m.id and a.action = 'staff.remove' limit 1))), 'UTF8'))
 where m.role = 'admin';

-- Whether two staff accounts are of one person, as far as the rows can tell.
create function is_same_person(one bigint, other bigint) returns boolean stable language sql as $$
  select one = other or exists (
    select from member p, member o where p.id = one and o.id = other and p.staff_mailbox = o.staff_mailbox)
$$;

create or replace function approvals_stay() returns trigger language plpgsql as $$
declare
  v_owner bigint := new.member_id;
begin
  if tg_op = 'UPDATE' and (
       old.first_approved_by is not null and new.first_approved_by is distinct from old.first_approved_by
       or old.approved_by is not null and new.approved_by is distinct from old.approved_by
       or old.approved_at is not null and new.approved_at is distinct from old.approved_at)
     or new.first_approved_by is not null and new.approved_by is null and new.status in ('approved', 'sending') then
    raise exception '% %: an approval stays, and the second one is needed', tg_table_name, new.id
      using errcode = 'RZ003', constraint = 'approvals_stay';
  end if;
  -- The first approver's own second approval is refused by the table's check.
  if new.first_approved_by <> new.approved_by and is_same_person(new.first_approved_by, new.approved_by) then
    raise exception '% %: the second approval is of the same person', tg_table_name, new.id
      using errcode = 'RZ003', constraint = 'approvals_stay';
  end if;
  if v_owner is not null and (is_own_money(new.first_approved_by, v_owner) or is_own_money(new.approved_by, v_owner)) then
    raise exception '% %: nobody approves their own money', tg_table_name, new.id
      using errcode = 'RZ003', constraint = 'approvals_stay';
  end if;
  return new;
end $$;

create or replace function outlay_moves() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or old.status <> 'requested' or new.status = 'requested'
     or (new.id, new.kind, new.amount_paise, new.purpose, new.beneficiary_id, new.corrects, new.needs_second, new.asked_by, new.asked_at)
        is distinct from
        (old.id, old.kind, old.amount_paise, old.purpose, old.beneficiary_id, old.corrects, old.needs_second, old.asked_by, old.asked_at) then
    raise exception 'outlay %: this is no way to go', old.id using errcode = 'RZ003', constraint = 'outlay_moves';
  end if;
  -- The asker's own approval is refused by the table's check.
  if new.status = 'booked' and new.needs_second and new.asked_by <> new.decided_by and is_same_person(new.asked_by, new.decided_by) then
    raise exception 'outlay %: it was asked for by the same person', old.id using errcode = 'RZ003', constraint = 'outlay_moves';
  end if;
  return new;
end $$;
