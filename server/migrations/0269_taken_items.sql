-- A dispute takes the open item of a payment that belongs to nobody, as it takes those of a closed account. Only these are paid by hand.
alter table suspense_item drop constraint suspense_of_closed_account;
create or replace function suspense_moves() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or (new.id, new.payment_id, new.order_id, new.amount) is distinct from (old.id, old.payment_id, old.order_id, old.amount)
     or new.status <> old.status and not (old.status = 'open' or old.status = 'refunded' and new.status = 'open') then
    raise exception 'suspense item %: it was decided', old.id using errcode = 'RZ003', constraint = 'suspense_moves';
  end if;
  if new.status = 'paid' and new.reason <> 'closed_account' then
    raise exception 'suspense item %: only money of a closed account is paid by hand', old.id using errcode = 'RZ003', constraint = 'suspense_moves';
  end if;
  return new;
end $$;
