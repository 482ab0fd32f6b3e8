-- outside a transaction
drop index concurrently if exists member_folded;
create index concurrently member_folded on member using gin (grams_of(folded_words(name, email, phone)));
