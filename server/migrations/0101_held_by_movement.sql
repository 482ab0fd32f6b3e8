-- What a wallet holds changes only with its movement, and by the movement's amount: up with wd_hold and refund_hold, down with wd_back
-- and refund_failed, by no other. A hold whose money has left ends without a movement of the wallet. Its end is compared at the commit,
-- because the statements of one end come in either order: what is held is what has no end among the member's withdrawals and refunds.

create or replace function guard_wallet() returns trigger set search_path = public, pg_temp language plpgsql as $$
begin
  if new.member_id = old.member_id and new.seq = old.seq + 1 and coalesce(
       (select t.amount = new.balance - old.balance and t.balance_after = new.balance
               and new.held = old.held - case when t.kind in ('wd_back', 'refund_failed') then t.amount else 0 end
          from transfer t where t.credit = new.member_id and t.credit > 1000 and t.wallet_seq = new.seq),
       (select t.amount = old.balance - new.balance and t.balance_after = new.balance
               and new.held = old.held + case when t.kind in ('wd_hold', 'refund_hold') then t.amount else 0 end
          from transfer t where t.debit = new.member_id and t.debit > 1000 and t.wallet_seq = new.seq)) then return null; end if;
  raise exception 'wallet % changed without its movement', new.member_id using errcode = 'RZ005';
end $$;

create function guard_release() returns trigger set search_path = public, pg_temp language plpgsql as $$
begin
  if (select held from wallet where member_id = new.member_id) is distinct from (
       select coalesce(sum(open.amount), 0) from (
         select w.amount from withdrawal w where w.member_id = new.member_id
            and not exists (select from transfer t where t.kind in ('wd_paid', 'wd_back') and t.ref = w.id::text)
         union all select r.amount from refund r where r.member_id = new.member_id
            and not exists (select from transfer t where t.kind in ('refund_paid', 'refund_failed') and t.ref = r.id::text)) open) then
    raise exception 'wallet % released what has not ended', new.member_id using errcode = 'RZ005';
  end if;
  return null;
end $$;
-- brief: adds a trigger, and reads no row.
create constraint trigger guard_release after update on wallet deferrable initially deferred for each row
  when (new.held < old.held and new.seq = old.seq) execute function guard_release();
