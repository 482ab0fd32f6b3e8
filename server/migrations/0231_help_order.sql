-- “Let the day decide”: the agreed requests whose order the seed of a day's draw decides. Only numbers, which stay when a request ends.
create table help_order (
  day       date primary key references round (day),
  -- In ascending order, so that the list says nothing before the draw.
  numbers   text[] not null check (cardinality(numbers) between 2 and 100 and array_position(numbers, null) is null),
  frozen_by bigint not null references member (id),
  frozen_at timestamptz not null default roz_now()
);
create index help_order_by on help_order (frozen_by);
create index help_order_numbers on help_order using gin (numbers);
select app_may('select, insert, update', 'help_order');

-- A list changes only while its round takes joins: nobody can know the seed then. The lock makes the close wait for the list.
create function help_order_is_open() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    perform from round where day = new.day and status = 'open' and opens_at <= roz_now() and closes_at > roz_now() for share;
    if found and (tg_op = 'INSERT' or new.day = old.day) then return new; end if;
  end if;
  raise exception 'order of help: its round is not open' using errcode = 'RZ003', constraint = 'help_order_is_open';
end $$;
create trigger help_order_is_open before insert or update or delete on help_order for each row execute function help_order_is_open();
