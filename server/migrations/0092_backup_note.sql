-- When this database was last backed up whole ('backup'), and when its log of commits last reached the folder of backups ('log'; only
-- of the local database, whose server ships it). A note counts for the cluster that it is of: one that was copied into another does not.
create table backup_note (
  what    text not null check (what in ('backup', 'log')),
  cluster text not null,
  at      timestamptz not null,
  primary key (what, cluster)
);
select app_may('select, insert, update', 'backup_note');
