create table client_secrets (
  id text primary key,
  application_id text not null,
  prefix text not null,
  hash text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index client_secrets_application on client_secrets (application_id);
