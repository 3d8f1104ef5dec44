-- Names of resources, each from a log position on.
create table audit_names (
  id text not null,
  from_position text collate "C" not null,
  -- The user whose name it is, or whose resource has the name.
  subject_id text,
  -- Null once that user is erased.
  name text,
  primary key (id, from_position)
);
create index audit_names_subject on audit_names (subject_id) where subject_id is not null;
create index audit_names_name on audit_names (lower(name) collate "C") where name is not null;
