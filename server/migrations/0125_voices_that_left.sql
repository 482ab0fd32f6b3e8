-- A first approval ends with the role of the person who gave it: the money waits for a first approval again.
create or replace function approvals_stay() returns trigger language plpgsql as $$
declare
  v_owner bigint := new.member_id;
  -- The approvals that this statement records.
  v_first bigint := case when tg_op = 'INSERT' or old.first_approved_by is null then new.first_approved_by end;
  v_last bigint := case when tg_op = 'INSERT' or old.approved_by is null then new.approved_by end;
begin
  if tg_op = 'UPDATE' and old.first_approved_by is not null and new.first_approved_by is null
     and old.status = 'requested' and new.status = 'requested' and new.approved_by is null
     and not is_settled_staff(old.first_approved_by) then
    return new;
  end if;
  if tg_op = 'UPDATE' and (
       old.first_approved_by is not null and new.first_approved_by is distinct from old.first_approved_by
       or old.approved_by is not null and new.approved_by is distinct from old.approved_by
       or old.approved_at is not null and new.approved_at is distinct from old.approved_at)
     or new.first_approved_by is not null and new.approved_by is null and new.status in ('approved', 'sending') then
    raise exception '% %: an approval stays, and the second one is needed', tg_table_name, new.id
      using errcode = 'RZ003', constraint = 'approvals_stay';
  end if;
  -- The first approver's own second approval is refused by the table's check.
  if coalesce(v_first, v_last) is not null and new.first_approved_by <> new.approved_by
     and is_same_person(new.first_approved_by, new.approved_by) then
    raise exception '% %: the second approval is of the same person', tg_table_name, new.id
      using errcode = 'RZ003', constraint = 'approvals_stay';
  end if;
  if v_owner is not null and (is_own_money(v_first, v_owner) or is_own_money(v_last, v_owner)) then
    raise exception '% %: nobody approves their own money', tg_table_name, new.id
      using errcode = 'RZ003', constraint = 'approvals_stay';
  end if;
  return new;
end $$;
