-- Papers of the tax that is withheld from rewards: whose PAN it is reported under, and the numbers of the certificates.
create table member_pan (
  member_id  bigint primary key check (member_id > 1000),
  sealed     bytea not null,
  -- For screens; the number itself is encrypted.
  last_four  text not null check (last_four ~ '^[0-9]{3}[A-Z]$'),
  changed_at timestamptz not null default roz_now()
);
select app_may('select, insert, update', 'member_pan');

create table tax_certificate (
  member_id  bigint not null check (member_id > 1000),
  -- The first day of the quarter in which the rewards were paid.
  quarter    date not null check (extract(month from quarter) in (1, 4, 7, 10) and extract(day from quarter) = 1),
  number     text not null check (length(number) between 1 and 40),
  written_by bigint not null,
  written_at timestamptz not null default roz_now(),
  primary key (member_id, quarter)
);
select app_may('select, insert, update', 'tax_certificate');
