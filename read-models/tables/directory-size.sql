-- The number of users and groups that are not deleted: directories request it with every page, and counting a hundred
-- thousand rows costs more than the page.
create table directory_size (
  of text primary key,
  total integer not null
) with (fillfactor = 50);
insert into directory_size (of, total) values ('users', 0), ('groups', 0);
