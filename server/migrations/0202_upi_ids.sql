-- UPI IDs beside bank accounts: `last_four` then has the masked UPI ID, `bank_name` is UPI, and `sealed` has the whole.
-- `beneficiary_id` is the gateway's for this account: with a replaced key our own id for it would be another one.
alter table bank_account
  add column beneficiary_id text,
  drop constraint bank_account_last_four_check,
  add constraint bank_account_last_four_check check (last_four ~ '^[0-9]{4}$' or (bank_name = 'UPI' and last_four ~ '^[a-z0-9._-]{0,2}…@[a-z0-9]+$')) not valid;
