-- Every effect acknowledged under an Idempotency-Key exists: the order, withdrawal, refund, gift or decision.
select 'key of member ' || k.member_id as subject, k.route || ' was acknowledged, but ' || k.ref || ' does not exist' as found
  from idempotency_key k
 where (k.answer ->> 'ok')::boolean and case
   when k.route in ('addMoney', 'askTransfer') then not exists (select from topup o where o.order_id = k.ref)
   when k.route = 'setUpAutopay' then not exists (select from autopay_mandate m where m.id::text = k.ref)
   when k.route = 'withdraw' then not exists (select from withdrawal w join transfer t on t.kind = 'wd_hold' and t.ref = w.id::text where w.id::text = k.ref)
   when k.route = 'requestRefund' then not exists (select from refund r join transfer t on t.kind = 'refund_hold' and t.ref = r.id::text where r.id::text = k.ref)
   -- The first of two approvals leaves the state, and ends with the role of the person who gave it.
   when k.route like 'withdrawal.approve %' then not exists (
     select from withdrawal w where 'withdrawal:' || w.id = k.ref and (w.status <> 'requested' or w.first_approved_by is not null or (not is_settled_staff(k.member_id) and exists (
       select from audit_log a where a.subject = k.ref and a.actor_id = k.member_id and a.action like '%.approve'))))
   when k.route = 'approveWithdrawals' then exists (
     select from jsonb_array_elements(k.answer #> '{value,results}') r where r ->> 'code' is null and not exists (
       select from withdrawal w where w.id::text = r ->> 'id' and (k.member_id in (w.first_approved_by, w.approved_by) or (not is_settled_staff(k.member_id) and exists (
       select from audit_log a where a.subject = 'withdrawal:' || w.id and a.actor_id = k.member_id and a.action like '%.approve')))))
   when k.route = 'approveRefunds' then exists (
     select from jsonb_array_elements(k.answer #> '{value,results}') r where r ->> 'code' is null and not exists (
       select from refund f where f.id::text = r ->> 'id' and (f.approved_at is not null or k.member_id = f.first_approved_by or (not is_settled_staff(k.member_id) and exists (
       select from audit_log a where a.subject = 'refund:' || f.id and a.actor_id = k.member_id and a.action like '%.approve')))))
   when k.route like 'withdrawal.retry %' then not exists (select from withdrawal w where 'withdrawal:' || w.id = k.ref and w.status <> 'requested')
   when k.route like 'withdrawal.reject %' then not exists (select from transfer t where t.kind = 'wd_back' and 'withdrawal:' || t.ref = k.ref)
   when k.route like 'withdrawal.not_paid %' then not exists (
     select from withdrawal w join transfer t on t.kind = 'wd_back' and t.ref = w.id::text where 'withdrawal:' || w.id = k.ref and w.not_paid_by = k.member_id)
   -- Another owner may have taken it over since.
   when k.route like 'withdrawal.take_over %' then not exists (select from withdrawal w where 'withdrawal:' || w.id = k.ref and w.shown_to is not null)
   -- A first voice moves nothing, and ends with the role of its person: its entry in the log stays.
   when k.route like 'withdrawal.came_back %' then not exists (
     select from audit_log a where a.subject = k.ref and a.actor_id = k.member_id and a.action = 'withdrawal.came_back')
     or (k.answer #>> '{value,withdrawal,status}' = 'reversed' and not exists (
       select from transfer t where t.kind = 'wd_reversed' and 'withdrawal:' || t.ref = k.ref))
   when k.route like 'withdrawal.complete %' then not exists (select from transfer t where t.kind = 'wd_paid' and 'withdrawal:' || t.ref = k.ref)
   when k.route like 'refund.approve %' then not exists (select from refund r where 'refund:' || r.id = k.ref and (r.status <> 'requested' or r.first_approved_by is not null or (not is_settled_staff(k.member_id) and exists (
       select from audit_log a where a.subject = k.ref and a.actor_id = k.member_id and a.action like '%.approve'))))
   when k.route like 'refund.reject %' then not exists (select from transfer t where t.kind = 'refund_failed' and 'refund:' || t.ref = k.ref)
   -- A first voice moves nothing, and another one may have taken its place since: its entry in the log stays.
   when k.answer #>> '{value,item,status}' = 'awaiting_second' then not exists (
     select from audit_log a where a.subject = k.ref and a.actor_id = k.member_id and k.route = a.action || ' ' || k.ref)
   when k.route like 'suspense.credit %' then not exists (select from transfer t where t.kind = 'suspense_credit' and 'suspense:' || t.ref = k.ref)
   when k.route like 'suspense.refund %' then not exists (select from refund r where 'suspense:' || r.suspense_id = k.ref)
   when k.route like 'suspense.pay %' then not exists (select from transfer t where t.kind = 'suspense_paid' and 'suspense:' || t.ref = k.ref)
   -- A finding that was closed opens again if its amount changes: its entry in the log stays.
   when k.route like 'finding.close %' then not exists (
     select from audit_log a where a.subject = k.ref and a.actor_id = k.member_id and a.action = 'finding.close')
   when k.route = 'triggerDraw' then not exists (select from round r where r.day = (k.answer #>> '{value,round,id}')::date and r.status <> 'open')
   when k.route like '%.ask' then not exists (
     select from outlay o where o.id::text = k.ref and o.kind || '.ask' = k.route
        and (o.status <> 'booked' or exists (select from transfer t where t.kind = o.kind and t.ref = k.ref)))
   when k.route like 'disbursement.approve %' or k.route like 'entry.approve %' then not exists (
     select from outlay o join transfer t on t.kind = o.kind and t.ref = o.id::text where k.ref in ('disbursement:' || o.id, 'entry:' || o.id) and o.status = 'booked')
   when k.route like 'disbursement.reject %' or k.route like 'entry.reject %' then not exists (
     select from outlay o where k.ref in ('disbursement:' || o.id, 'entry:' || o.id) and o.status = 'rejected')
   when k.route like 'disbursement.translate %' then not exists (
     select from outlay o where k.ref = 'disbursement:' || o.id and o.translations <> '{}')
   when k.route like 'passOn %' then not exists (select from transfer t where t.kind = 'gift' and t.debit = k.member_id and t.ref like k.ref || ':%')
   when k.route like 'disbursement.arrive %' then not exists (select from arrival a where k.ref = 'disbursement:' || a.outlay_id)
   -- An answer that names no amount found nothing left to take.
   when k.route = 'closeAccount' then coalesce(k.answer #>> '{value,message}', '₹') like '%₹%'
     and not exists (select from withdrawal w join transfer t on t.kind = 'wd_hold' and t.ref = w.id::text where w.id::text = k.ref)
     and not exists (select from transfer t where t.kind = 'gift' and t.ref = k.ref and t.debit = k.member_id)
   -- A call that this check does not know.
   else true end
