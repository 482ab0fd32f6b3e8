-- Every settlement of the gateway has its number, its report and its net amount, and every number is booked.
select 'settlement ' || ref as subject, 'moved ' || amount || ' without its number, its report or its net amount' as found
  from transfer t where kind = 'gateway_settled'
   and (t.ref <> subject_of(t.ref) || case t.debit when 8 then '#fee' else '' end
     or not exists (select from gateway_settlement s where s.entry_id = subject_of(t.ref))
     or not exists (select from evidence e where e.kind = t.kind and e.ref = subject_of(t.ref))
     or not exists (select from transfer n where n.kind = t.kind and n.ref = subject_of(t.ref) and n.debit = 2))
union all
select 'settlement ' || reference, 'is booked nowhere' from gateway_settlement s
 where not exists (select from transfer t where t.kind = 'gateway_settled' and t.ref = s.entry_id)
