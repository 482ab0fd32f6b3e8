-- A step without a member of the team is one of the person who asked: they may withdraw their request.
-- brief: it only changes the catalogue.
alter table help_case_step alter column done_by drop not null;
