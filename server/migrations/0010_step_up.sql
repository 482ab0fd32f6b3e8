-- A step-up: the administrator's password entered again for a sensitive call. A sign-in counts as one;
-- it is valid for ten minutes.
alter table session add column stepped_up_at timestamptz;
