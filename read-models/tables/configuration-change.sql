-- The last change of what instances hold in memory: applications, assignments of groups, keys, settings.
create table configuration_change (
  id text primary key,
  position text collate "C" not null
);
