-- The roles of the team are one list (contract/src/roles.ts), and the calls judge by it: no check of the database names them.
-- brief: both only change the catalogue.
alter table member drop constraint member_staff_role_check;
alter table staff_invitation drop constraint staff_invitation_staff_role_check;
