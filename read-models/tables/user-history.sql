-- Names and states of users, groups and applications over time. A row without to_position is current.
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
  -- Whether a change of name or address started it: then the row is deleted once the user is erased.
  personal boolean not null,
  changed_by text,
  audit_id text not null,
  primary key (user_id, from_position)
);
