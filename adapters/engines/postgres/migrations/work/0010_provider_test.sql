-- Reports of test sign-ins with identity providers, for the administrator who ran them. Deleted after minutes.
create table work.provider_test (
  id text primary key,
  identity_provider_id text not null,
  started_by text not null,
  report jsonb not null,
  expires_at timestamptz not null
);
