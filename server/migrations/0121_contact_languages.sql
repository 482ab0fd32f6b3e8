-- The languages of the product are one list (core/src/language.ts), and the calls judge by it: no check of the database names them.
alter table contact_message drop constraint contact_message_language_check;
