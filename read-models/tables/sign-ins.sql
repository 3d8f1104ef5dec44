-- One row for each sign-in attempt. Rows are deleted when the retention of their events ends.
create table sign_ins (
  id text primary key,
  -- Log position, from which a reader of all attempts continues.
  position text collate "C" not null,
  created_at timestamptz not null,
  -- Null for an unknown address.
  user_id text,
  email text,
  app_id text,
  result text not null,
  method text,
  identity_provider_id text,
  ip text,
  location text,
  device text,
  device_id text,
  user_agent text,
  risk text not null,
  reason text,
  session_id text,
  amr text[] not null,
  correlation_id text not null,
  -- What access policies decided and on which facts; null if none were evaluated.
  decision jsonb
);
create index sign_ins_created on sign_ins (created_at desc, id desc);
create index sign_ins_user on sign_ins (user_id, created_at desc, id desc);
create index sign_ins_app on sign_ins (app_id, created_at desc, id desc);
create index sign_ins_ip on sign_ins (ip, created_at desc, id desc);
create index sign_ins_refused on sign_ins (result, created_at desc, id desc) where result <> 'success';
create index sign_ins_last on sign_ins (user_id, created_at desc) where result = 'success';
create index sign_ins_position on sign_ins (position);
