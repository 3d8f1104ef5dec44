-- rebuild: what came before is not in these tables unless the log is replayed.

-- When each event that is kept for ever was decided. A time is turned into a place in the log by it, and everything that
-- is asked about the past is asked of that place.
create table log_moments (
  position text collate "C" primary key,
  at timestamptz not null
);
create index log_moments_at on log_moments (at, position);

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

create table group_history (
  group_id text not null,
  from_position text collate "C" not null,
  from_at timestamptz not null,
  to_position text collate "C",
  to_at timestamptz,
  status text not null,
  name text not null,
  changed_by text,
  audit_id text not null,
  primary key (group_id, from_position)
);

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

alter table memberships
  -- Entries of the audit trail that tell of its beginning and its end.
  add column audit_id text,
  add column end_audit_id text,
  -- [[position, expires_at], …] from the first on, where it was ever changed.
  add column expiries jsonb;
drop index memberships_history_group;
drop index memberships_history_user;
create index memberships_past_group on memberships (group_id, user_id, from_position);
create index memberships_past_user on memberships (user_id, from_position);

alter table application_groups
  add column audit_id text,
  add column end_audit_id text;
create index application_groups_past_group on application_groups (group_id, from_position);
