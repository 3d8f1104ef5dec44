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

-- The accounts of people there, as far as the log tells: what remains should the working tables be lost.
create table provisioned_accounts (
  application_id text not null,
  user_id text not null,
  generation integer not null,
  -- Null once the person is erased.
  remote_id text,
  active boolean not null,
  primary key (application_id, user_id)
);
create index provisioned_accounts_user on provisioned_accounts (user_id);
