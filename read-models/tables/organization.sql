create table organization (
  id text primary key,
  settings jsonb not null,
  updated_at timestamptz not null,
  version integer not null
);
