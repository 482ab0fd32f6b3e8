-- A member's proofs of a day in a few reads, and the deletion of ticket owners after the draw.
-- Invariants: ticket owners are stored from the seal to the draw only. Winners are then in draw_winner;
-- all others find their ticket by their key. A group is a subtree of 128 entries or parts of a page,
-- for look-up and proof.

-- Members of a sealed list, page by page, in the order of its tickets: only for the draw.
create table ticket_owner (
  day     date not null,
  page    int not null check (page >= 0),
  -- Member ids, 8 bytes each, most significant byte first.
  members bytea not null check (octet_length(members) between 8 and 8 * 16384 and octet_length(members) % 8 = 0),
  primary key (day, page)
);
alter table ticket_owner alter column members set storage external;

create function ticket_owner_goes() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (select from round where day = old.day and status in ('drawn', 'settled', 'void')) then return old; end if;
  raise exception '% on ticket_owner: whose the tickets of a day are is needed until its draw', tg_op using errcode = 'RZ001';
end $$;
create trigger needed_until_draw before update or delete on ticket_owner for each row execute function ticket_owner_goes();
create trigger table_stays before truncate on ticket_owner for each statement execute function refuse_change();
select app_may('select, insert, delete', 'ticket_owner');

insert into ticket_owner (day, page, members)
select day, page, members from ticket_page join round using (day) where status = 'closed';

drop view ticket;
alter table ticket_page drop column members,
  -- The first ticket of the page: a ticket is looked for in the page with the last one not above it.
  add column first_ticket bytea check (octet_length(first_ticket) = 32),
  -- First ticket and subtree's root of each 128 entries, 64 bytes a group.
  add column groups bytea;
alter table ticket_page alter column groups set storage external;

alter table liability_page
  add column first_position bigint check (first_position >= 0),
  -- First id, subtree's hash and sum of each 128 parts, 72 bytes a group.
  add column groups bytea;
alter table liability_page alter column groups set storage external;

-- For the pages that are there already.
create function pg_temp.groups_of(list bytea, entry_bytes int, first_bytes int, with_sums boolean) returns bytea language plpgsql as $$
declare
  group_bytes constant int := 128 * entry_bytes;
  result bytea := '';
  nodes bytea[];
  above bytea[];
  entry bytea;
  node bytea;
begin
  for g in 0 .. (octet_length(list) - 1) / group_bytes loop
    nodes := '{}';
    for i in 0 .. least(128, (octet_length(list) - g * group_bytes) / entry_bytes) - 1 loop
      entry := substring(list from g * group_bytes + i * entry_bytes + 1 for entry_bytes);
      nodes := nodes || case when with_sums then sha256(E'roz/v1/part\n'::bytea || entry) || substring(entry from 33) else sha256('\x00'::bytea || entry) end;
    end loop;
    while cardinality(nodes) > 1 loop
      above := '{}';
      for i in 1 .. cardinality(nodes) by 2 loop
        if i = cardinality(nodes) then node := nodes[i];
        elsif with_sums then
          node := sha256(E'roz/v1/sum\n'::bytea || nodes[i] || nodes[i + 1])
            || int8send(substring(nodes[i] from 33)::bigint + substring(nodes[i + 1] from 33)::bigint);
        else node := sha256('\x01'::bytea || nodes[i] || nodes[i + 1]);
        end if;
        above := above || node;
      end loop;
      nodes := above;
    end loop;
    result := result || substring(list from g * group_bytes + 1 for first_bytes) || nodes[1];
  end loop;
  return result;
end $$;

alter table ticket_page disable trigger rows_stay;
update ticket_page set first_ticket = substring(tickets from 1 for 32), groups = pg_temp.groups_of(tickets, 32, 32, false);
alter table ticket_page enable trigger rows_stay;
alter table liability_page disable trigger rows_stay;
update liability_page p
   set groups = pg_temp.groups_of(leaves, 40, 32, true),
       first_position = (select coalesce(sum(octet_length(b.leaves) / 40), 0) from liability_page b where b.day = p.day and b.page < p.page);
alter table liability_page enable trigger rows_stay;

alter table ticket_page alter column first_ticket set not null, alter column groups set not null,
  add check (first_ticket = substring(tickets from 1 for 32)),
  add check (octet_length(groups) = 64 * ((octet_length(tickets) / 32 + 127) / 128)),
  add check (octet_length(tickets) between 32 and 32 * 16384 and octet_length(tickets) % 32 = 0);
create unique index ticket_page_first on ticket_page (day, first_ticket);
alter table liability_page alter column groups set not null, alter column first_position set not null,
  add check (octet_length(groups) = 72 * ((octet_length(leaves) / 40 + 127) / 128));

-- Ticket by ticket, for whoever reads a whole page or a small day.
create view ticket as
  select p.day, p.page * 16384::bigint + place as position, substring(p.tickets from place * 32 + 1 for 32) as ticket
    from ticket_page p cross join lateral generate_series(0, octet_length(p.tickets) / 32 - 1) place;
select app_may('select', 'ticket');
