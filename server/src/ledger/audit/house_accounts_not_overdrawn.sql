-- The help fund, the platform's share and the withheld tax are never below zero at a day's end.
select name || ' at the end of ' || day as subject, 'holds ' || held as found
  from (select account, day, sum(sum(amount)) over (partition by account order by day) as held from (
          select credit as account, day, amount from transfer where credit in (6, 7, 10)
          union all select debit, day, -amount from transfer where debit in (6, 7, 10)) moved group by account, day) s
  join account a on a.id = s.account
 where held < 0
