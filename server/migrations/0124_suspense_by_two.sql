-- The first of two voices about an item of SUSPENSE: whom to credit, or by which bank transfer its owner was paid.
-- The check belongs to a new column, which servers of the previous release leave empty.
alter table suspense_item
  add column first_by bigint,
  add column first_at timestamptz,
  add column first_act text check (first_act in ('credit', 'pay')),
  add column first_member bigint,
  add column first_reference text constraint suspense_first_is_whole check (
    (first_by is null) = (first_at is null) and (first_by is null) = (first_act is null)
    and (first_act is not distinct from 'credit') = (first_member is distinct from null)
    and (first_act is not distinct from 'pay') = (first_reference is distinct from null));
