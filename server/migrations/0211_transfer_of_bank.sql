-- outside a transaction
drop index concurrently if exists transfer_of_bank;
create index concurrently transfer_of_bank on transfer (day) where debit = 2 or credit = 2;
