-- Refunds to the source of a payment: of a member's top-up, as far as it is unused, or of an item in
-- SUSPENSE.
create table refund (
  -- Without its dashes it is the refund's id at the gateway.
  id          uuid primary key,
  -- The gateway's order that the money came by.
  order_id    text not null,
  member_id   bigint check (member_id > 1000),
  suspense_id bigint,
  amount      bigint not null check (amount > 0),
  status      text not null default 'requested'
              check (status in ('requested', 'approved', 'sending', 'paid', 'rejected', 'failed')),
  -- Why it was asked for, why it ended without being paid, and why it stands still.
  reason      text not null,
  decision    text,
  problem     text,
  reference   text,
  created_at  timestamptz not null default roz_now(),
  ended_at    timestamptz,
  check ((member_id is null) <> (suspense_id is null)),
  check (suspense_id is null or status <> 'requested'),
  check ((status in ('requested', 'approved', 'sending')) = (ended_at is null)),
  check (status <> 'rejected' or decision is not null)
);
create index refund_by_member on refund (member_id, created_at);
create index refund_by_order on refund (order_id);
create index refund_newest on refund (created_at desc, id desc);
create unique index refund_of_suspense_once on refund (suspense_id) where status not in ('rejected', 'failed');
select app_may('select, insert, update', 'refund');

-- A request and its final state never change.
create function refund_moves() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE'
     or (new.id, new.order_id, new.member_id, new.suspense_id, new.amount) is distinct from (old.id, old.order_id, old.member_id, old.suspense_id, old.amount)
     or new.status <> old.status and not (
       old.status = 'requested' and new.status in ('approved', 'rejected', 'paid', 'failed')
       or old.status = 'approved' and new.status in ('sending', 'rejected', 'paid', 'failed')
       or old.status = 'sending' and new.status in ('approved', 'paid', 'failed')) then
    raise exception 'refund %: from % to % is no way to go', old.id, old.status, case when tg_op = 'DELETE' then 'nothing' else new.status end
      using errcode = 'RZ003', constraint = 'refund_moves';
  end if;
  return new;
end $$;
create trigger refund_moves before update or delete on refund for each row execute function refund_moves();

-- An item is decided once: only a refund that failed opens it again.
create function suspense_moves() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or (new.id, new.payment_id, new.order_id, new.amount) is distinct from (old.id, old.payment_id, old.order_id, old.amount)
     or new.status <> old.status and not (old.status = 'open' or old.status = 'refunded' and new.status = 'open') then
    raise exception 'suspense item %: it was decided', old.id using errcode = 'RZ003', constraint = 'suspense_moves';
  end if;
  return new;
end $$;
create trigger suspense_moves before update or delete on suspense_item for each row execute function suspense_moves();
create index suspense_newest on suspense_item (created_at desc, id desc);

-- The top-up whose payment a dispute took back: nothing of it is refunded any more.
alter table topup add column charged_back_at timestamptz;
