create table service_accounts (
  id text primary key,
  status text not null,
  name text not null,
  -- Null once deleted, so that the name can be used again.
  name_key text,
  description text,
  owner_id text,
  roles text[] not null,
  ssh_host_names text[] not null,
  created_at timestamptz not null,
  created_by text,
  updated_at timestamptz not null,
  version integer not null
);
create index service_accounts_name on service_accounts (name_key);
create index service_accounts_by_name on service_accounts ((lower(name) collate "C"), id);
create index service_accounts_created on service_accounts (created_at, id);
create index service_accounts_owner on service_accounts (owner_id);
