create table webhooks (
  id text primary key,
  status text not null,
  url text not null,
  description text,
  -- The selected events: exact types, families, or *.
  events text[] not null,
  sealed_secret text not null,
  created_at timestamptz not null,
  created_by text,
  updated_at timestamptz not null,
  version integer not null
);
create index webhooks_created on webhooks (created_at, id) where status <> 'deleted';
