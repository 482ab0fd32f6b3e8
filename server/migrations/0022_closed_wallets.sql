-- A closed wallet is empty and moves no money: a check on the row, whoever writes it.
alter table wallet add constraint wallet_closed_is_empty
  check (not is_closed or balance = 0 and held = 0 and not may_move and not auto_join);
