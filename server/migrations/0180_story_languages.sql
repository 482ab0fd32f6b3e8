-- Each text of a story may have one text per language. The columns of before have the words in the language `written_in`.
alter table story
  add column written_in   text not null default 'en' check (written_in <> ''),
  -- The other languages: {"hi": {"title": "…"}}.
  add column translations jsonb not null default '{}' check (jsonb_typeof(translations) = 'object'),
  -- The languages in which a text is missing; the server writes it with every edit.
  add column lacks        text[] not null default '{}';
