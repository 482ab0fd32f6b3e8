-- The chargebacks of a dispute, less their returns, equal the amount that the dispute says was taken. Only amounts that were taken are returned, and no payment loses more than its amount.
with parts as (
  select subject_of(ref) as id, sum(amount) filter (where kind = 'chargeback') as taken,
         coalesce(sum(amount) filter (where kind = 'chargeback_back'), 0) as returned
    from transfer where kind in ('chargeback', 'chargeback_back') group by 1)
select 'dispute ' || d.id as subject,
       case when d.is_taken then 'taken' else 'not taken' end || ', of ' || d.amount || ' booked ' || coalesce(p.taken - p.returned, 0) as found
  from dispute d left join parts p using (id)
 where coalesce(p.taken - p.returned, 0) <> case when d.is_taken then d.amount else 0 end
union all
select 'dispute ' || p.id, 'took ' || p.taken || ', but there is no such dispute' from parts p left join dispute d using (id) where d.id is null
union all
select 'chargeback ' || b.ref, 'returned ' || b.amount || ' that was not taken from ' || b.credit
  from transfer b left join transfer c on c.kind = 'chargeback' and c.ref = b.ref and (c.debit = b.credit or c.debit > 1000 and b.credit = 5) and c.amount = b.amount
 where b.kind = 'chargeback_back' and c.transfer_id is null
union all
select 'order ' || d.order_id, 'taken back ' || sum(d.amount) || ' of ' || o.amount
  from dispute d join topup o on o.order_id = d.order_id and o.payment_id = d.payment_id
 where d.is_taken group by d.order_id, o.amount having sum(d.amount) > o.amount
