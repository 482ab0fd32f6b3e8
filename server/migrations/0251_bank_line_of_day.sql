-- outside a transaction
drop index concurrently if exists bank_line_in_order;
create index concurrently bank_line_in_order on bank_line (account_id, day, position);
drop index concurrently if exists bank_line_of_day;
