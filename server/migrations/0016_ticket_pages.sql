-- The sealed list of a day in pages: a row per ticket took 180 bytes and most of the close; an entry
-- here takes 40 bytes. A page is 16,384 entries, ascending by ticket, and a whole subtree of the day's
-- tree; it contains the members (8 bytes each), then the tickets (32 bytes each).
-- Invariants: pages are numbered from 0 without a gap, all full but the last; a list is written once,
-- in the transaction that closes the round.

drop table ticket;

create table ticket_page (
  day     date not null,
  page    int not null check (page >= 0),
  -- Member ids, most significant byte first.
  members bytea not null,
  tickets bytea not null,
  -- Root of the page's subtree.
  root    bytea not null check (octet_length(root) = 32),
  primary key (day, page),
  check (octet_length(tickets) between 32 and 32 * 16384 and octet_length(tickets) % 32 = 0 and octet_length(members) * 4 = octet_length(tickets))
);
-- Random bytes: trying to compress them is lost time, and a part is read without the rest.
alter table ticket_page alter column members set storage external, alter column tickets set storage external;
select append_only('ticket_page');
select app_may('select, insert', 'ticket_page');
delete from app_grant where object = 'table ticket';

-- Ticket by ticket, for whoever reads a whole page or a small day.
create view ticket as
  select p.day, p.page * 16384::bigint + place as position, substring(p.members from place * 8 + 1 for 8)::bigint as member_id,
         substring(p.tickets from place * 32 + 1 for 32) as ticket
    from ticket_page p cross join lateral generate_series(0, octet_length(p.tickets) / 32 - 1) place;
select app_may('select', 'ticket');
