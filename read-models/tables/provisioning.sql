-- Where the people of an application are pushed to over SCIM.
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
  -- Accounts are linked within one: it grows when people are pushed into another service than before.
  generation integer not null,
  paused_at timestamptz,
  -- Deactivations that it was paused over.
  paused_over integer,
  resumed_at timestamptz,
  -- Deactivations that whoever resumed has agreed to.
  allowed integer,
  requested_run text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null
);
