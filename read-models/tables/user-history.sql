-- How people, groups and applications were called, and how they stood, from when to when. A row without to_position is
-- what they are now.
create table user_history (
  user_id text not null,
  from_position text collate "C" not null,
  from_at timestamptz not null,
  to_position text collate "C",
  to_at timestamptz,
  status text not null,
  enrolled boolean not null,
  name text not null,
  email text not null,
  -- Whether a name or an address began it: then nothing of the row is left once the person is erased.
  personal boolean not null,
  changed_by text,
  audit_id text not null,
  primary key (user_id, from_position)
);
