create table sessions (
  id text primary key,
  user_id text not null,
  token_hash text not null,
  methods text[] not null,
  -- The user's own methods that the session was started with; null if they were not recorded.
  method_ids text[],
  amr text[] not null,
  auth_time timestamptz not null,
  -- Log position of the user's last sign-in.
  auth_position text collate "C" not null,
  strength text not null,
  ip text,
  user_agent text,
  device_id text,
  location text,
  -- Of the user's last sign-in.
  risk text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  end_reason text,
  -- The session at the identity provider, as a hash.
  provider_session text
);
create index sessions_token on sessions (token_hash);
create index sessions_user on sessions (user_id, created_at desc);
create index sessions_open on sessions (user_id) where ended_at is null;
create index sessions_created on sessions (created_at desc, id desc);
create index sessions_user_created on sessions (user_id, created_at desc, id desc);
create index sessions_provider on sessions (provider_session) where ended_at is null;
create index sessions_device on sessions (device_id) where ended_at is null;
