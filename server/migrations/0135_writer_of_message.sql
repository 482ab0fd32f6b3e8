-- Who was logged in when a message to support was sent: the member's export has it, whatever address was typed.
alter table contact_message add column member_id bigint references member (id);
