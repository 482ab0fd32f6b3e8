-- A number of the bank that excludes the lines which contain it: none that many lines contain, as core/src/reference-fields.ts says.
-- 1.0.0 does not know the table.
-- contracts after 1.0.0
alter table bank_transfer
  add constraint bank_transfer_number check (status = 'rejected' or bank_number ~ '^(?![A-Z]{4}0[A-Z0-9]{6}$)(?=([A-Z]*[0-9]){6})[A-Z0-9]{9,50}$') not valid;
