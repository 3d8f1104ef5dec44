create table applications (
  id text primary key,
  protocol text not null,
  type text,
  status text not null,
  client_id text,
  built_in boolean not null,
  name text not null,
  -- Null once the name can be used again.
  name_key text,
  settings jsonb not null,
  -- Settings of SAML applications; null for the others.
  saml jsonb,
  -- Null for other protocols, and once it can be used again.
  entity_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null,
  tokens_void_before text collate "C"
);
create unique index applications_client on applications (client_id);
create index applications_name_key on applications (name_key text_pattern_ops);
create index applications_by_name on applications ((lower(name) collate "C"), id);
create index applications_created on applications (created_at, id);
create index applications_entity_id on applications (entity_id) where entity_id is not null;
