-- The words of the site that editors change in the portal. Null: the operator's setting is in force.
create table site_edit (
  only_row     boolean primary key default true check (only_row),
  people       text check (length(people) between 1 and 40),
  contributors text check (length(contributors) between 1 and 40),
  -- Empty: no video.
  video        text check (length(video) <= 500)
);
insert into site_edit default values;
select app_may('select, update', 'site_edit');
