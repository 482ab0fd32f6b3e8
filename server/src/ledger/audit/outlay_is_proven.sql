-- Every outlay is proven by a bill, and each bill belongs to a booked entry.
select kind || ' ' || ref as subject, 'moved ' || amount || ' without a bill' as found
  from transfer t where kind in ('disbursement', 'disbursement_back', 'platform_out', 'tds_remitted', 'losses_covered')
   and not exists (select from evidence e where e.kind = t.kind and e.ref = t.ref)
union all
select 'bill ' || encode(hash, 'hex'), 'is of ' || kind || ' ' || ref || ', which is booked nowhere'
  from evidence e where not exists (select from transfer t where t.kind = e.kind and t.ref = e.ref)
