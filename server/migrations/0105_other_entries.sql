-- Help that came back and the house's own payments, newest first: the first public page of days reads fifty of them.
-- outside a transaction
drop index concurrently if exists transfer_of_other_entries;
create index concurrently transfer_of_other_entries on transfer (day desc, transfer_id desc)
  where kind in ('disbursement_back', 'platform_out', 'tds_remitted', 'losses_covered');
