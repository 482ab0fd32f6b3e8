-- Withdrawals from before signs were noted after the commit: one job for each notes its bank account and its young money.
insert into job (kind, key, payload, due_at)
select 'note_signals', id::text, jsonb_build_object('withdrawalId', id), roz_now() from withdrawal
on conflict (kind, key) do nothing;
