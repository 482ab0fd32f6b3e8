-- The audit's findings per run (ledger/audit.ts). The row is written before its run: it blocks other
-- processes for an hour, and shows a run that never ended.
create table audit_run (
  id          bigint generated always as identity primary key,
  -- full: everything; recent: the days since `since` and what is small.
  scope       text not null check (scope in ('full', 'recent')),
  since       date,
  started_at  timestamptz not null default roz_now(),
  finished_at timestamptz,
  -- Broken invariants, each with its sentence and the first rows that it named.
  broken      jsonb,
  check ((scope = 'recent') = (since is not null)),
  check ((finished_at is null) = (broken is null))
);
create index audit_run_newest on audit_run (started_at desc);
select app_may('select, insert, update, delete', 'audit_run');

-- The worker asks by lane: mails, and everything else.
drop index job_due;
create index job_due_mail on job (due_at, id) where done_at is null and kind = 'mail';
create index job_due_other on job (due_at, id) where done_at is null and kind <> 'mail';
