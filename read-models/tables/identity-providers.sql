create table identity_providers (
  id text primary key,
  type text not null,
  issuer text not null,
  status text not null,
  -- Null if deleted.
  name_key text,
  -- As in the events.
  fields jsonb not null,
  -- Null without a client secret.
  sealed_secret text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null
);
create index identity_providers_name_key on identity_providers (name_key);
