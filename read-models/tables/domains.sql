create table domains (
  id text primary key,
  name text not null,
  -- Null if deleted.
  name_key text,
  token text not null,
  status text not null,
  verified_at timestamptz,
  -- When the record of a verified domain was first missing.
  missing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null
);
create index domains_name_key on domains (name_key);
create index domains_by_name on domains ((lower(name) collate "C"), id);
