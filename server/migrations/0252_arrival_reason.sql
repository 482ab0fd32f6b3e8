-- Why help did not arrive: words about a person, which are deleted when the person takes the consent back. The arrival itself stays.
-- No release has used the old column.
-- contracts after 1.0.0
create table arrival_reason (
  arrival_id bigint primary key references arrival,
  words      text not null check (words <> '')
);
select app_may('select, insert, delete', 'arrival_reason');
insert into arrival_reason (arrival_id, words) select id, reason from arrival where reason is not null;
alter table arrival drop column reason;
