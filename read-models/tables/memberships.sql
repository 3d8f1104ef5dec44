-- Memberships of users in groups, with their source and time. A row without to_position is current.
create table memberships (
  from_position text collate "C" primary key,
  membership text not null,
  group_id text not null,
  user_id text not null,
  via text not null,
  source_id text,
  expires_at timestamptz,
  from_at timestamptz not null,
  granted_by text,
  -- The audit entry of its start; end_audit_id is that of its end.
  audit_id text,
  to_position text collate "C",
  to_at timestamptz,
  ended_by text,
  end_reason text,
  end_audit_id text,
  -- [[position, expires_at], …] from the first one on; null if the expiry never changed.
  expiries jsonb
);
create index memberships_open on memberships (membership) where to_position is null;
create index memberships_of_user on memberships (user_id, group_id) where to_position is null;
create index memberships_of_group on memberships (group_id, user_id) where to_position is null;
create index memberships_expiring on memberships (expires_at) where to_position is null and expires_at is not null;
create index memberships_past_group on memberships (group_id, user_id, from_position);
create index memberships_past_user on memberships (user_id, from_position);
