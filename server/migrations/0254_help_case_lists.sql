-- The desk's list of a hundred thousand requests: in its order, as a whole, of a state and of what is open; and its search.
-- outside a transaction
drop index concurrently if exists help_case_order;
create index concurrently help_case_order on help_case ((case urgency when 'today' then 1 when 'can_wait' then 3 else 2 end), asked_at, number);
drop index concurrently if exists help_case_state_order;
create index concurrently help_case_state_order on help_case
  (state, (case urgency when 'today' then 1 when 'can_wait' then 3 else 2 end), asked_at, number);
drop index concurrently if exists help_case_open_order;
create index concurrently help_case_open_order on help_case ((case urgency when 'today' then 1 when 'can_wait' then 3 else 2 end), asked_at, number)
  where stage in ('new', 'called', 'checked', 'agreed', 'waiting');
drop index concurrently if exists help_case_folded;
create index concurrently help_case_folded on help_case using gin (grams_of(folded_words(number, '', district)));
