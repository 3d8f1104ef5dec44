-- Every version of every policy.
create table policies (
  id text not null,
  from_position text collate "C" not null,
  from_at timestamptz not null,
  to_position text collate "C",
  to_at timestamptz,
  -- enabled, disabled, report_only or deleted
  status text not null,
  name text not null,
  description text,
  priority integer not null,
  conditions jsonb not null,
  action text not null,
  session_max_age_minutes integer,
  created_at timestamptz not null,
  created_by text,
  version integer not null,
  changed_by text,
  audit_id text not null,
  primary key (id, from_position)
);
create unique index policies_current on policies (id) where to_position is null;
