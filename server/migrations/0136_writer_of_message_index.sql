-- outside a transaction
drop index concurrently if exists contact_message_member;
create index concurrently contact_message_member on contact_message (member_id) where member_id is not null;
