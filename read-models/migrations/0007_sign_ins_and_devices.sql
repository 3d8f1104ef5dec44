-- One row for each attempt to sign in. Deleted when the events themselves are due to go.
create table sign_ins (
  id text primary key,
  created_at timestamptz not null,
  -- Null for an address that is nobody's.
  user_id text,
  email text,
  app_id text,
  result text not null,
  method text,
  ip text,
  location text,
  device text,
  device_id text,
  user_agent text,
  risk text not null,
  reason text,
  session_id text,
  amr text[] not null,
  correlation_id text not null
);
create index sign_ins_created on sign_ins (created_at desc, id desc);
create index sign_ins_user on sign_ins (user_id, created_at desc, id desc);
create index sign_ins_app on sign_ins (app_id, created_at desc, id desc);
create index sign_ins_ip on sign_ins (ip, created_at desc, id desc);
create index sign_ins_refused on sign_ins (result, created_at desc, id desc) where result <> 'success';
create index sign_ins_last on sign_ins (user_id, created_at desc) where result = 'success';

create table devices (
  id text primary key,
  user_id text not null,
  kind text not null,
  -- Null once the person is erased, like the personal columns below.
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

create index sessions_device on sessions (device_id) where ended_at is null;
