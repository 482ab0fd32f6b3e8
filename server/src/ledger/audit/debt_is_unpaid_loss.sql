-- The unpaid rest of a chargeback is the member's debt. Money that comes back to the member pays the debt first, and a returned chargeback is given back to the last paisa.
with losses as (
  select c.ref, c.amount, exists (select from transfer b where b.kind = 'chargeback_back' and b.ref = c.ref) as is_returned,
         coalesce(o.member_id, g.credit) as member_id
    from transfer c join dispute d on d.id = subject_of(c.ref)
    left join topup o on o.order_id = d.order_id and o.payment_id = d.payment_id
    left join suspense_item s on s.payment_id = d.payment_id left join transfer g on g.kind = 'suspense_credit' and g.ref = s.id::text
   where c.kind = 'chargeback' and c.debit = 9),
payments as (
  select regexp_replace(p.ref, '#debt[0-9]+$', '') as ref, sum(p.amount) as paid, coalesce(sum(b.amount), 0) as given_back,
         max(p.debit) filter (where p.debit > 1000) as payer, min(p.debit) filter (where p.debit > 1000) as other
    from transfer p left join transfer b on b.kind = 'debt_back' and b.ref = p.ref and b.amount = p.amount
     and (b.credit = p.debit or p.debit > 1000 and b.credit = 5)
   where p.kind = 'debt_paid' group by 1)
select 'debt ' || d.ref as subject,
       'member ' || d.member_id || ' owes ' || d.amount || case when d.returned_at is not null then ', returned' else '' end || ', says paid ' || d.paid
         || '; lost ' || coalesce(l.amount, 0) || case when l.is_returned then ', returned' else '' end
         || ', paid ' || coalesce(p.paid, 0) || ', given back ' || coalesce(p.given_back, 0) as found
  from debt d left join losses l on l.ref = d.ref || '#loss' left join payments p on p.ref = d.ref
 where l.ref is null or l.amount <> d.amount or l.is_returned <> (d.returned_at is not null) or l.member_id <> d.member_id
    or d.paid <> coalesce(p.paid, 0) or coalesce(p.given_back, 0) <> case when d.returned_at is null then 0 else d.paid end
    or p.payer <> d.member_id or p.other <> d.member_id
union all
select 'chargeback ' || l.ref, 'lost ' || l.amount || ' of member ' || l.member_id || ', who owes nothing for it'
  from losses l left join debt d on l.ref = d.ref || '#loss' where l.member_id is not null and not l.is_returned and d.id is null
union all
select 'transfer ' || t.kind || ' ' || t.ref, 'its debt does not exist'
  from transfer t left join debt d on d.ref = regexp_replace(t.ref, '#debt[0-9]+$', '') where t.kind in ('debt_paid', 'debt_back') and d.id is null
union all
-- A member with an open debt has owed since its start: the movement after each later credit must be a payment.
select 'member ' || t.credit || ', movement ' || t.wallet_seq, t.kind || ' of ' || t.amount || ' paid nothing of what is owed'
  from debt d join transfer c on c.kind = 'chargeback' and c.ref = d.ref || '#loss'
  join transfer t on t.credit = d.member_id and t.credit > 1000 and t.transfer_id > c.transfer_id and t.created_at >= d.created_at and t.kind <> 'topup'
 where d.paid < d.amount and d.returned_at is null
   and not exists (select from transfer p where p.debit = t.credit and p.debit > 1000 and p.wallet_seq = t.wallet_seq + 1 and p.kind = 'debt_paid')
   and not (t.kind = 'suspense_credit' and exists (select from suspense_item s join topup o on o.payment_id = s.payment_id where s.id::text = t.ref))
