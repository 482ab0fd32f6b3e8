-- The search of open requests: a district of 20,000 requests has few open ones, which the index of all would first look up.
-- outside a transaction
drop index concurrently if exists help_case_open_folded;
create index concurrently help_case_open_folded on help_case using gin (grams_of(folded_words(number, '', district)))
  where stage in ('new', 'called', 'checked', 'agreed', 'waiting');
