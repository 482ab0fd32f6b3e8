-- SUSPENSE holds what its open items say.
select 'SUSPENSE' as subject, 'holds ' || booked || ', open items ' || open as found
  from (select coalesce((select sum(amount) from leg where account = 5), 0) as booked,
               coalesce((select sum(amount) from suspense_item where status = 'open'), 0) as open) s
 where booked <> open
