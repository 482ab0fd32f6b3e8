-- A winner passes the prize on to the help fund, once per prize: afterwards, or ahead by the switch in the profile.
-- The row stays when the month of its transfer is archived: the public count reads it.
create table prize_gift (
  day        date not null,
  rank       int not null check (rank > 0),
  amount     bigint not null check (amount > 0),
  created_at timestamptz not null default roz_now(),
  primary key (day, rank)
);
select append_only('prize_gift');
select app_may('select, insert', 'prize_gift');

alter table wallet add column passes_on boolean not null default false;
