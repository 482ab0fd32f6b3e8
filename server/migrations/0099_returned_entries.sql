-- The last page of a void round's returns compares what the pages have counted, instead of adding up millions of refunds.

alter table round
  -- The entries that have their rupee back. Unknown where a server without this column began the returns.
  add column returned_entries bigint,
  add constraint round_returned_entries check (returned_entries is null or return_day is not null and returned_entries between 0 and entries);
