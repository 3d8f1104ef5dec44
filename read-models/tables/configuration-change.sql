-- The last change of the configuration that instances keep in memory: applications, assignments of groups, keys,
-- settings.
create table configuration_change (
  id text primary key,
  position text collate "C" not null
);
