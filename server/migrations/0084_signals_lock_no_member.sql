-- A foreign key locks the member's row. A withdrawal locks the wallet first and the deletion of an account the member first, so the two
-- waited for each other until both gave up. The erasure of a member deletes these rows itself.
alter table signal_use drop constraint signal_use_member_id_fkey;
