-- Every paid order was credited once with its amount, and every credit has its order.
-- by member
with booked as (
  select t.payment_id, c.credit as member_id, c.amount from topup t join transfer c on c.kind = 'topup' and c.ref = t.payment_id
  union all
  select t.payment_id, c.credit, c.amount from topup t join transfer c on c.kind = 'topup' and c.ref = t.payment_id || '#rest'
  union all
  select t.payment_id, c.credit, c.amount
    from topup t join suspense_item s on s.payment_id = t.payment_id join transfer c on c.kind = 'suspense_credit' and c.ref = s.id::text),
credits as (select payment_id, member_id, sum(amount) as amount from booked group by 1, 2)
select 'order ' || t.order_id as subject, 'paid ' || t.amount || ', credited ' || coalesce(c.amount, 0) as found
  from topup t left join credits c on c.payment_id = t.payment_id and c.member_id = t.member_id
 where t.status in ('captured', 'refunded') and t.amount <> coalesce(c.amount, 0)
union all
select 'payment ' || c.ref, 'credited ' || c.amount || ' to member ' || c.credit || ' without an order'
  from transfer c left join topup t on t.payment_id in (c.ref, replace(c.ref, '#rest', '')) and t.member_id = c.credit
 where c.kind = 'topup' and t.order_id is null
