-- What things were called, from which place in the log on.
create table audit_names (
  id text not null,
  from_position text collate "C" not null,
  -- The person whose name, or whose thing's name, it is.
  subject_id text,
  -- Null once that person is erased.
  name text,
  primary key (id, from_position)
);
create index audit_names_subject on audit_names (subject_id) where subject_id is not null;
create index audit_names_name on audit_names (lower(name) collate "C") where name is not null;
