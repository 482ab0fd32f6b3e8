-- The languages of the product are one list (core/src/language.ts), and calls judge by it: a new one needs no
-- migration. Here is only the format of a language code.
alter table member
  drop constraint member_language_check,
  add constraint member_language_check check (language ~ '^[a-z]{2,3}$');
