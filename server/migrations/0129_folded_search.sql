-- One spelling for the searches of the portal: what is written in several ways is found by each (members/member-search.ts).
-- The functions and indexes of before stay for servers of the previous release.

-- NFKD makes one of composed and decomposed letters and of all blanks. Then the dots below letters (nukta), accents of Latin
-- letters, joiners and direction marks go: many write without them.
create function search_folded(words text) returns text immutable parallel safe language sql return
  regexp_replace(
    translate(lower(normalize(words, nfkd)),
      U&'\093C\09BC\0A3C\0ABC\0B3C\0CBC\0300\0301\0302\0303\0304\0306\0307\0308\030A\030B\030C\0323\0327\0328\200B\200C\200D\200E\200F\061C\2060\FEFF\00AD\2018\2019',
      ''),
    ' {2,}', ' ', 'g');

create function folded_words(name text, email text, phone text) returns text immutable parallel safe language sql return
  search_folded(' ' || name || ' ' || coalesce(email, '') || ' ' || coalesce(phone, '') || ' ');
