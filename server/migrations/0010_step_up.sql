-- A step-up: the administrator's password given anew for what moves money. A sign-in counts as one;
-- it holds for ten minutes (product.md "Admin").
alter table session add column stepped_up_at timestamptz;
