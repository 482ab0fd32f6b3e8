-- outside a transaction
drop index concurrently if exists contact_message_folded;
create index concurrently contact_message_folded on contact_message using gin (grams_of(folded_words(name, email, ticket)));
