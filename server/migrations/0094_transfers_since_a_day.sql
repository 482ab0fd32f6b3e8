-- The transfers of a range of members since a day. The books of a day read each member's state page by page as today's wallet less
-- what moved since: without these indexes each page would read the transfers of all members since that day.
create index transfer_by_day_credit on transfer (day, credit) where credit > 1000;
create index transfer_by_day_debit on transfer (day, debit) where debit > 1000;
create index transfer_of_paid_withdrawals on transfer (day) where kind = 'wd_paid';
