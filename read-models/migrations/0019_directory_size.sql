-- How many people and groups there are that are not deleted: directories ask with every page, and counting a hundred
-- thousand costs more than the page.
create table directory_size (
  of text primary key,
  total integer not null
) with (fillfactor = 50);
insert into directory_size (of, total)
  select 'users', count(*) from users where status <> 'deleted'
  union all select 'groups', count(*) from groups where status = 'exists';
