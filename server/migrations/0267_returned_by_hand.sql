-- A payout by hand that came back: above the limit two persons say so. The first of them.
alter table withdrawal add column return_first_by bigint;
