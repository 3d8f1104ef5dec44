-- Assignments of access packages. A row without to_position is open; whether it is in force also depends on the time.
create table package_assignments (
  id text primary key,
  user_id text not null,
  package_id text not null,
  status text not null,
  via text not null,
  request_id text,
  starts_at timestamptz not null,
  expires_at timestamptz,
  from_position text collate "C" not null,
  from_at timestamptz not null,
  granted_by text,
  audit_id text,
  to_position text collate "C",
  to_at timestamptz,
  ended_by text,
  end_reason text,
  end_audit_id text
);
create index package_assignments_of_user on package_assignments (user_id, from_position);
create index package_assignments_of_package on package_assignments (package_id, from_position);
create index package_assignments_open on package_assignments (package_id, user_id) where to_position is null;
create index package_assignments_expiring on package_assignments (expires_at) where to_position is null and expires_at is not null;
create index package_assignments_starting on package_assignments (starts_at) where status = 'scheduled';
