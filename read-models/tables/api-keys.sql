create table api_keys (
  id text primary key,
  service_account_id text not null,
  name text not null,
  scopes text[] not null,
  prefix text not null,
  hash text not null,
  expires_at timestamptz not null,
  -- Networks that the key may be used from; empty for any address.
  allowed_cidrs text[] not null,
  created_at timestamptz not null,
  created_by text,
  revoked_at timestamptz,
  -- When its expiry was recorded; it stopped working at expires_at.
  expired_at timestamptz,
  -- When the account of the key was given rights: from then on the key is invalid.
  outdated_at timestamptz,
  outdated_by text,
  updated_at timestamptz not null,
  version integer not null
);
create unique index api_keys_hash on api_keys (hash);
create index api_keys_account on api_keys (service_account_id, created_at, id);
create index api_keys_by_name on api_keys ((lower(name) collate "C"), id);
create index api_keys_created on api_keys (created_at, id);
create index api_keys_usable on api_keys (expires_at) where revoked_at is null and expired_at is null;
create index api_keys_outdated on api_keys (service_account_id)
  where outdated_at is not null and revoked_at is null and expired_at is null;
