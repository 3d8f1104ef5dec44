create table api_resources (
  id text primary key,
  status text not null,
  identifier text not null,
  name text not null,
  description text,
  access_token_lifetime_seconds integer,
  owner_application_ids text[] not null,
  -- [{name, description?}] in the order in which they were sent.
  scopes jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null
);
create index api_resources_identifier on api_resources (identifier) where status = 'exists';
create index api_resources_scopes on api_resources using gin (scopes jsonb_path_ops) where status = 'exists';
create index api_resources_by_name on api_resources ((lower(name) collate "C"), id);
create index api_resources_created on api_resources (created_at, id);
