-- Every member who joined, moved money, won or asked for a withdrawal has a wallet.
-- by member
select 'member ' || m.member_id as subject, m.what || ' without a wallet' as found
  from (select member_id, 'joined' as what from entry
        union select account, 'moved money' from leg where account > 1000
        union select member_id, 'asked for a withdrawal' from withdrawal
        union select member_id, 'won' from draw_winner) m
  left join wallet w using (member_id) where w.member_id is null
