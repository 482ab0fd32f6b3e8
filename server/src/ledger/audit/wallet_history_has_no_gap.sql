-- A wallet's movements are numbered without a gap, and the balance after each is the sum of all until then.
-- by member
with moves as (
  select account, wallet_seq, balance_after,
         lag(wallet_seq, 1, 0::bigint) over history as seq_before, sum(amount) over history as balance
    from leg where account > 1000 window history as (partition by account order by wallet_seq))
select 'member ' || account as subject, 'movement ' || wallet_seq || ' follows ' || seq_before as found from moves where wallet_seq <> seq_before + 1
union all
-- An archived entry has no balance of its own.
select 'member ' || account, 'movement ' || wallet_seq || ' leaves ' || balance_after || ', not ' || balance
  from moves where balance_after <> balance
union all
select 'member ' || w.member_id, 'the wallet has seq ' || w.seq || ', its newest movement ' || coalesce(max(m.wallet_seq), 0)
  from wallet w left join moves m on m.account = w.member_id group by w.member_id, w.seq having w.seq <> coalesce(max(m.wallet_seq), 0)
