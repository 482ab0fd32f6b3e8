-- When somebody said that a payout by hand came back: without a second person it counts for seven days.
alter table withdrawal add column return_first_at timestamptz;
