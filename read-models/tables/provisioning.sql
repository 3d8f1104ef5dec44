-- The SCIM services that users of applications are provisioned to.
create table provisioning (
  application_id text primary key,
  -- configured or removed
  status text not null,
  enabled boolean not null default false,
  base_url text not null,
  sealed_token text not null,
  auth_scheme text not null,
  user_name_attribute text not null,
  attributes jsonb not null,
  -- Accounts are linked within one generation: it increases when the SCIM service is replaced.
  generation integer not null,
  paused_at timestamptz,
  -- The number of deactivations that caused the pause.
  paused_over integer,
  resumed_at timestamptz,
  -- The number of deactivations that an administrator approved when resuming.
  allowed integer,
  requested_run text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null
);
