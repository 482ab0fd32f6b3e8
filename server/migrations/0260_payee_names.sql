-- Whether the bank says that a withdrawal's UPI ID has the name which the member gave. Nothing of the bank's own name is kept.
create table payee_name_check (
  -- One UPI ID with one name: the details of a row never change.
  bank_account_id bigint primary key references bank_account (id),
  -- unknown: the gateway's answer could not be believed, or none came.
  result          text check (result in ('match', 'no_match', 'no_such_id', 'unknown')),
  -- Questions that may have sent a rupee: at most three.
  asks            int not null check (asks between 0 and 3),
  asked_at        timestamptz not null
);
select app_may('select, insert, update, delete', 'payee_name_check');
