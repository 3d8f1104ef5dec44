create table role_intervals (
  user_id text not null,
  role text not null,
  from_position text collate "C" not null,
  from_at timestamptz not null,
  granted_by text,
  to_position text collate "C",
  to_at timestamptz,
  ended_by text,
  primary key (user_id, role, from_position)
);
create index role_intervals_role on role_intervals (role, from_position);
