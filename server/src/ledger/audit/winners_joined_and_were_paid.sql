-- Every winner joined the round. Every winner of a settled round was paid that prize once, and nobody else was paid. A prize passed on is a gift of its winner, and at most the prize.
select 'round ' || d.day || ', rank ' || d.rank as subject, 'member ' || d.member_id || ' has not joined' as found
  from draw_winner d left join entries_of_days(:since, :until) j on j.day = d.day and j.member_id = d.member_id where d.day between :since and :until and j.member_id is null
union all
select 'round ' || d.day || ', rank ' || d.rank, 'member ' || d.member_id || ' was not paid ' || d.amount
  from draw_winner d join round r on r.day = d.day and r.status = 'settled'
  left join transfer t on t.kind = 'prize' and t.ref = d.day || ':' || d.rank and t.credit = d.member_id and t.amount = d.amount
 where d.day between :since and :until and t.transfer_id is null
union all
select 'prize ' || t.ref, 'paid to member ' || t.credit || ', who is not its winner'
  from transfer t left join draw_winner d on t.ref = d.day || ':' || d.rank and t.credit = d.member_id
 where t.kind = 'prize' and t.day between :since and :until and d.day is null
union all
select 'prize ' || g.day || ':' || g.rank, 'passed on with ' || g.amount || ', but the gift or its winner says something else'
  from prize_gift g left join draw_winner d on d.day = g.day and d.rank = g.rank and d.amount >= g.amount
  left join transfer t on t.kind = 'gift' and t.ref = g.day || ':' || g.rank and t.debit = d.member_id and t.amount = g.amount
 where g.day between :since and :until and t.transfer_id is null
union all
select 'gift ' || t.ref, 'no prize was passed on by it'
  from transfer t where t.kind = 'gift' and t.ref like '____-__-__:%' and t.day between :since and :until
   and not exists (select from prize_gift g where t.ref = g.day || ':' || g.rank)
