-- A settlement that came back after it was recorded is taken off later ones, each as far as it reaches.
create table gateway_settlement_correction (
  returned_id text not null references gateway_settlement_seen,
  by_id       text not null references gateway_settlement_seen,
  amount      bigint not null check (amount >= 0),
  fee         bigint not null check (fee >= 0),
  primary key (returned_id, by_id),
  check (returned_id <> by_id and amount + fee > 0)
);
create index gateway_settlement_correction_by on gateway_settlement_correction (by_id);
select app_may('select, insert, delete', 'gateway_settlement_correction');

-- Until now one later settlement took the whole of it. Its column `corrected_by` is no longer read or written.
with recursive chain (root, id) as (
  select settlement_id, settlement_id from gateway_settlement_seen where corrected_by is not null
  union select c.root, s.settlement_id from gateway_settlement_seen s join chain c on s.corrected_by = c.id)
insert into gateway_settlement_correction (returned_id, by_id, amount, fee)
select r.settlement_id, r.corrected_by, sum(o.amount_paise), sum(o.fee_paise)
  from chain c join gateway_settlement_seen r on r.settlement_id = c.root join gateway_settlement_seen s on s.settlement_id = c.id
  join outlay o on o.kind = 'gateway_settled' and o.purpose in (upper(s.settlement_id), upper(s.utr)) and o.status = 'booked'
 group by r.settlement_id, r.corrected_by;
