-- Groups that were assigned to applications, with the time of each assignment.
create table application_groups (
  from_position text collate "C" primary key,
  application_id text not null,
  group_id text not null,
  from_at timestamptz not null,
  assigned_by text,
  audit_id text,
  to_position text collate "C",
  to_at timestamptz,
  ended_by text,
  end_audit_id text
);
create index application_groups_open on application_groups (application_id, group_id) where to_position is null;
create index application_groups_of_group on application_groups (group_id) where to_position is null;
create index application_groups_history on application_groups (application_id, from_at);
create index application_groups_past_group on application_groups (group_id, from_position);
