-- A picture that a helped person gives with a follow-up. The row goes with the follow-up, and the server removes the file.
-- An upload that no follow-up names yet belongs to the payment: the end of the consent deletes it too.
create table follow_up_picture (
  outlay_id    uuid not null references outlay (id),
  hash         bytea not null check (octet_length(hash) = 32),
  -- Its name in the storage.
  file         text not null unique check (file <> ''),
  bytes        int not null check (bytes > 0),
  width        int not null check (width > 0),
  height       int not null check (height > 0),
  follow_up_id uuid unique references follow_up (id) on delete cascade,
  uploaded_by  bigint not null references member (id),
  uploaded_at  timestamptz not null default roz_now(),
  primary key (outlay_id, hash)
);
create index follow_up_picture_by on follow_up_picture (uploaded_by);
select app_may('select, insert, update, delete', 'follow_up_picture');
