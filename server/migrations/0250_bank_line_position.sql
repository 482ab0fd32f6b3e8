-- A line of a statement is counted within its day, so that days can be stored between others: a gap that comes to zero shows in no balance.

drop trigger guard_bank_line on bank_line;
alter table bank_line drop constraint bank_line_account_id_position_key;
update bank_line l set position = of_day.place
  from (select id, row_number() over (partition by account_id, day order by position) as place from bank_line) of_day
 where of_day.id = l.id;

create or replace function guard_bank_line() returns trigger set search_path = public, pg_temp language plpgsql as $$
begin
  if (new.id, new.account_id, new.position, new.day, new.amount, new.balance) is distinct from
     (old.id, old.account_id, old.position, old.day, old.amount, old.balance) then
    raise exception 'line % of a bank statement changes', old.id using errcode = 'RZ003', constraint = 'guard_bank_line';
  end if;
  return new;
end $$;
create trigger guard_bank_line before update on bank_line for each row execute function guard_bank_line();

-- Each line has a place of its own, begins where the one before it ended, and the one after it begins where it ends.
create function guard_bank_chain() returns trigger set search_path = public, pg_temp language plpgsql as $$
declare
  apart uuid;
begin
  select l.id into apart from added l
   where l.balance - l.amount is distinct from coalesce(
           (select b.balance from bank_line b where b.account_id = l.account_id and (b.day, b.position) < (l.day, l.position)
             order by b.day desc, b.position desc limit 1),
           (select a.opening from statement_account a where a.id = l.account_id))
      or l.balance <> coalesce(
           (select n.balance - n.amount from bank_line n where n.account_id = l.account_id and (n.day, n.position) > (l.day, l.position)
             order by n.day, n.position limit 1), l.balance)
      or exists (select from bank_line o where (o.account_id, o.day, o.position) = (l.account_id, l.day, l.position) and o.id <> l.id)
   limit 1;
  if found then
    raise exception 'line % of a bank statement does not follow', apart using errcode = 'RZ003', constraint = 'guard_bank_line';
  end if;
  return null;
end $$;
create trigger guard_bank_chain after insert on bank_line referencing new table as added for each statement execute function guard_bank_chain();
