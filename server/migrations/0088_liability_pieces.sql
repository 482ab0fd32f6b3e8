-- The parts of a day between cutting and sealing, in pieces: a row for every part took 550 bytes of log and
-- an index in the order of random ids. A piece has one portion's parts of one bucket (the first byte of their id): id and
-- amount, 40 bytes each, unordered. The sealing sorts a bucket at a time. Runs in progress keep their parts.

create table liability_piece (
  day    date not null,
  bucket smallint not null check (bucket between 0 and 255),
  -- The last member of the portion.
  piece  bigint not null,
  leaves bytea not null check (octet_length(leaves) > 0 and octet_length(leaves) % 40 = 0),
  primary key (day, bucket, piece)
);
-- Random bytes: trying to compress them is lost time.
alter table liability_piece alter column leaves set storage external;
select app_may('select, insert, delete', 'liability_piece');

insert into liability_piece (day, bucket, piece, leaves)
select day, get_byte(id, 0), 0, string_agg(id || int8send(amount), '') from liability_part group by day, get_byte(id, 0);
drop table liability_part;
delete from app_grant where object = 'table liability_part';
