-- Accounts whose addresses reach one mailbox: a sign for the review list, as a shared phone is.
alter table signal_use drop constraint signal_use_kind_check,
  add constraint signal_use_kind_check check (kind in ('phone', 'bank', 'device', 'network', 'young_money', 'mailbox')) not valid;
