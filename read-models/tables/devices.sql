create table devices (
  id text primary key,
  user_id text not null,
  kind text not null,
  -- Null once the user is erased, like the other personal columns.
  cookie_hash text,
  name text,
  user_agent text,
  ip text,
  location text,
  platform text not null,
  browser text,
  os_version text,
  status text not null,
  trusted_at timestamptz,
  trusted_by text,
  trust_expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null
);
create index devices_cookie on devices (cookie_hash);
create index devices_user on devices (user_id, created_at desc, id desc);
create index devices_created on devices (created_at desc, id desc);
