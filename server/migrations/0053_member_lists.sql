-- The portal's list of members at a million: search in any script, and sorting by figures that change with every join.

-- The text that a search looks through. Two spaces around it make the start of each word searchable by one letter.
create function member_words(name text, email text, phone text) returns text immutable parallel safe language sql return
  lower(' ' || name || ' ' || coalesce(email, '') || ' ' || coalesce(phone, '') || ' ');

-- Every three letters of a text, and each word's first letter with the space before it. pg_trgm would need a locale: under
-- the builtin one it sees only Latin letters, and no Hindi name. The cost makes the planner prefer the index.
create function grams_of(words text) returns text[] immutable parallel safe cost 5000 language sql as $$
  select array(select distinct gram from generate_series(1, length(words)) n
                 cross join lateral (values (substr(words, n, 3)), (substr(words, n, 2))) piece (gram)
                where length(gram) = 3 or length(gram) = 2 and gram like ' _' and gram <> '  ')
$$;
create index member_search on member using gin (grams_of(member_words(name, email, phone)));
create index member_suspended on member (id) where suspended_at is not null;
create index member_held on member (id) where held_at is not null;

-- The figures that members are sorted by, as they were a few minutes ago (features/member-care/sort-figures.ts): an index
-- on the wallet itself would make each join rewrite it.
create table member_sort (
  member_id bigint primary key,
  balance   bigint not null,
  joins     int not null,
  won       bigint not null
) with (fillfactor = 70);
create index member_by_balance on member_sort (balance, member_id);
create index member_by_joins on member_sort (joins, member_id);
create index member_by_won on member_sort (won, member_id);
select app_may('select, insert, update', 'member_sort');

-- How far the present pass over all members has come.
create table member_sort_pass (
  only_row    boolean primary key default true check (only_row),
  last_id     bigint not null default 0,
  started_at  timestamptz not null default '-infinity',
  -- The state that every row has at least reached.
  sorted_at   timestamptz,
  finished_at timestamptz
);
insert into member_sort_pass (finished_at) values ('-infinity');
select app_may('select, update', 'member_sort_pass');
