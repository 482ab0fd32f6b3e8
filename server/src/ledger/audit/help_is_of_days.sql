-- The days of a disbursement or correction add up to its amount. No day gives more than its share, and no disbursement returns more to a day than it took. The open shares add up to the help fund.
select 'entry ' || coalesce(a.entry_id, t.ref) as subject, 'moved ' || coalesce(t.amount, 0) || ', its days add up to ' || coalesce(a.paise, 0) as found
  from (select kind, ref, amount, day from transfer where kind in ('disbursement', 'disbursement_back')) t
  full join (select entry_id, case when bool_and(paise > 0) then 'disbursement' else 'disbursement_back' end as kind, abs(sum(paise)) as paise,
                    min(posted_on) as first, max(posted_on) as last from help_allotment group by entry_id) a on a.entry_id = t.ref and a.kind = t.kind
  left join disbursement d on d.id = t.ref
 where (t.amount = a.paise and t.amount = d.amount and t.day = a.first and t.day = a.last
        and (d.corrects is not null) = (t.kind = 'disbursement_back')) is not true
union all
select 'disbursement ' || id, 'is booked nowhere' from disbursement d
 where not exists (select from transfer t where t.ref = d.id and t.kind = case when d.corrects is null then 'disbursement' else 'disbursement_back' end)
union all
select 'correction ' || a.entry_id, 'gives back for ' || a.disbursement_id || ', not for what it corrects'
  from help_allotment a left join disbursement d on d.id = a.entry_id
 where a.disbursement_id is distinct from coalesce(d.corrects, d.id)
union all
select 'help of ' || day, 'share ' || share || ', given ' || given from help_day where given > share or given < 0
union all
select 'disbursement ' || disbursement_id, 'has ' || sum(paise) || ' of ' || day from help_allotment group by disbursement_id, day having sum(paise) < 0
union all
select 'HELP_FUND', 'holds ' || held || ', its days have ' || open
  from (select coalesce((select sum(case when kind in ('need', 'gift', 'disbursement_back') then amount else -amount end) from transfer
                          where kind in ('need', 'gift', 'disbursement', 'disbursement_back')), 0) as held,
               coalesce((select sum(open) from help_day), 0) as open) s
 where held <> open
