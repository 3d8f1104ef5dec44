-- Read models of the core projection. Every row can be made anew from the event log; nothing here is a truth of its
-- own. Table names carry no schema: the same file builds the serving schema and the one a rebuild fills beside it.
-- Positions are the log's, compared as bytes. A column that is null once a person is erased holds personal data.

create table checkpoint (
  name text primary key,
  position text collate "C" not null
);

create table users (
  id text primary key,
  source text not null,
  status text not null,
  erased boolean not null default false,
  email text not null,
  -- Null once the address is free again.
  email_key text,
  email_verified boolean not null default false,
  name text not null,
  given_name text,
  family_name text,
  department text,
  title text,
  employee_id text,
  manager_id text,
  location text,
  phone text,
  locale text,
  time_zone text,
  start_date text,
  end_date text,
  external_id text,
  user_name text,
  user_name_key text,
  custom jsonb not null default '{}',
  roles text[] not null default '{}',
  suspend_reason text,
  invited_at timestamptz not null,
  activated_at timestamptz,
  suspended_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null,
  -- Tokens of grants issued before this place in the log are void.
  tokens_void_before text collate "C"
);
create index users_email_key on users (email_key);
create index users_user_name_key on users (user_name_key);
create index users_external_id on users (external_id) where external_id is not null;
create index users_created on users (created_at desc, id desc);
create index users_name on users (lower(name) text_pattern_ops);
create index users_global_admins on users (id) where roles @> '{global_admin}';

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

create table methods (
  id text primary key,
  user_id text not null,
  type text not null,
  name text,
  credential_id text not null,
  public_key text not null,
  initial_sign_count bigint not null,
  transports text[] not null,
  aaguid text not null,
  backed_up boolean not null,
  created_at timestamptz not null
);
create index methods_user on methods (user_id);
create unique index methods_credential on methods (credential_id);

create table enrollment_links (
  user_id text primary key,
  token_hash text not null,
  kind text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create index enrollment_links_token on enrollment_links (token_hash);

create table groups (
  id text primary key,
  status text not null,
  name text not null,
  -- Null once the name is free again.
  name_key text,
  description text,
  rule jsonb,
  external_id text,
  owner_ids text[] not null,
  source text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null
);
create index groups_name_key on groups (name_key text_pattern_ops);
create index groups_rule on groups (id) where rule is not null and status = 'exists';

-- Who was in which group, through what, from when to when. A row without to_position is in force.
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
  to_position text collate "C",
  to_at timestamptz,
  ended_by text,
  end_reason text
);
create index memberships_open on memberships (membership) where to_position is null;
create index memberships_of_user on memberships (user_id, group_id) where to_position is null;
create index memberships_of_group on memberships (group_id, user_id) where to_position is null;
create index memberships_expiring on memberships (expires_at) where to_position is null and expires_at is not null;
create index memberships_history_group on memberships (group_id, from_at);
create index memberships_history_user on memberships (user_id, from_at);

create table applications (
  id text primary key,
  protocol text not null,
  type text,
  status text not null,
  client_id text,
  built_in boolean not null,
  name text not null,
  -- Null once the name is free again.
  name_key text,
  settings jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null,
  tokens_void_before text collate "C"
);
create unique index applications_client on applications (client_id);
create index applications_name_key on applications (name_key text_pattern_ops);

-- Which groups were assigned to which application, from when to when.
create table application_groups (
  from_position text collate "C" primary key,
  application_id text not null,
  group_id text not null,
  from_at timestamptz not null,
  assigned_by text,
  to_position text collate "C",
  to_at timestamptz,
  ended_by text
);
create index application_groups_open on application_groups (application_id, group_id) where to_position is null;
create index application_groups_of_group on application_groups (group_id) where to_position is null;
create index application_groups_history on application_groups (application_id, from_at);

create table client_secrets (
  id text primary key,
  application_id text not null,
  prefix text not null,
  hash text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index client_secrets_application on client_secrets (application_id);

create table sessions (
  id text primary key,
  user_id text not null,
  token_hash text not null,
  methods text[] not null,
  amr text[] not null,
  auth_time timestamptz not null,
  strength text not null,
  ip text,
  user_agent text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  end_reason text
);
create index sessions_token on sessions (token_hash);
create index sessions_user on sessions (user_id, created_at desc);
create index sessions_open on sessions (user_id) where ended_at is null;
create index sessions_created on sessions (created_at desc, id desc);

create table session_applications (
  session_id text not null,
  application_id text not null,
  user_id text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (session_id, application_id)
);

-- Only what was taken back is looked up: a token is good unless something here, or its person, application or
-- session, says otherwise.
create table revoked_grants (
  grant_id text primary key,
  application_id text not null,
  user_id text not null,
  reason text not null,
  revoked_at timestamptz not null
);

create table signing_keys (
  id text primary key,
  kid text not null,
  alg text not null,
  status text not null,
  public_jwk jsonb not null,
  sealed_private_key text not null,
  created_at timestamptz not null,
  activated_at timestamptz,
  retires_at timestamptz
);

create table organization (
  id text primary key,
  settings jsonb not null,
  updated_at timestamptz not null,
  version integer not null
);

-- The last change of what instances hold in memory: applications, assignments of groups, keys, settings.
create table configuration_change (
  id text primary key,
  position text collate "C" not null
);
