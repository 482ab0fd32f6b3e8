-- A mail that tells many members of the same is a job of its own kind, so that a mail to one member never waits behind it.
-- outside a transaction
drop index concurrently if exists job_due_mass_mail;
create index concurrently job_due_mass_mail on job (due_at, id) where done_at is null and kind = 'mass_mail';
drop index concurrently if exists job_due_work;
create index concurrently job_due_work on job (due_at, id) where done_at is null and kind not in ('mail', 'mass_mail');
drop index concurrently if exists job_due_other;
