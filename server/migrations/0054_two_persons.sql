-- Money that leaves above a limit needs two persons, and nobody approves their own.

-- A mailbox by its address: the case, a +tag, and the dots of Gmail name no other mailbox.
create function mailbox_of(email text) returns text immutable parallel safe language sql return
  case when lower(email) ~ '@(gmail|googlemail)\.com$'
    then replace(split_part(split_part(lower(email), '@', 1), '+', 1), '.', '') || '@gmail.com'
    else split_part(split_part(lower(email), '@', 1), '+', 1) || '@' || split_part(lower(email), '@', 2) end;

-- Whether a member's money is the person's own, as far as the rows can tell: the same account, mailbox,
-- phone or bank account. A bank account is known by its number and IFSC.
create function is_own_money(person bigint, owner bigint) returns boolean stable language sql as $$
  select person = owner or exists (
    select from member p, member o where p.id = person and o.id = owner
       and (mailbox_of(p.email) = mailbox_of(o.email) or p.phone = o.phone
         or exists (select from bank_account a join bank_account b on b.account_mac = a.account_mac
                     where a.member_id = p.id and b.member_id = o.id)))
$$;

-- The first approval waits in the state `requested`; the second one approves.
alter table withdrawal
  add column first_approved_by bigint,
  add column first_approved_at timestamptz,
  add column approved_by bigint,
  add constraint withdrawal_first_when check ((first_approved_by is null) = (first_approved_at is null)),
  add constraint withdrawal_two_persons check (
    first_approved_by is null or approved_at is null or approved_by is not null and approved_by <> first_approved_by);
alter table refund
  add column first_approved_by bigint,
  add column first_approved_at timestamptz,
  add column approved_by bigint,
  add constraint refund_first_when check ((first_approved_by is null) = (first_approved_at is null)),
  add constraint refund_two_persons check (
    first_approved_by is null or approved_at is null or approved_by is not null and approved_by <> first_approved_by),
  -- The refund of an item in SUSPENSE is made by its first approval.
  drop constraint refund_check1,
  add constraint refund_of_item_is_approved check (suspense_id is null or status <> 'requested' or first_approved_by is not null);

-- An approval stays, it is no approver's own money, and a first approval alone sends nothing.
create function approvals_stay() returns trigger language plpgsql as $$
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
  if v_owner is not null and (is_own_money(new.first_approved_by, v_owner) or is_own_money(new.approved_by, v_owner)) then
    raise exception '% %: nobody approves their own money', tg_table_name, new.id
      using errcode = 'RZ003', constraint = 'approvals_stay';
  end if;
  return new;
end $$;
create trigger approvals_stay before insert or update of status, first_approved_by, approved_by, approved_at on withdrawal
  for each row execute function approvals_stay();
create trigger approvals_stay before insert or update of status, first_approved_by, approved_by, approved_at on refund
  for each row execute function approvals_stay();

-- Refunds that wait for a decision, by age.
create index refund_open on refund (created_at, id) where status in ('requested', 'approved', 'sending');
