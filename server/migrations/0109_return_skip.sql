-- Entrants of a void round whom its pages passed over, because giving their rupee back failed (ledger/settlement.ts).
-- They are tried alone after the last page. Invariant: the round ends once none is left.
create table return_skip (
  day       date not null,
  member_id bigint not null,
  primary key (day, member_id)
);
select app_may('select, insert, delete', 'return_skip');
