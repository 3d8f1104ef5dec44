create table application_history (
  application_id text not null,
  from_position text collate "C" not null,
  from_at timestamptz not null,
  to_position text collate "C",
  to_at timestamptz,
  status text not null,
  name text not null,
  changed_by text,
  audit_id text not null,
  primary key (application_id, from_position)
);
