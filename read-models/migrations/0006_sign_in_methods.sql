-- Authenticator apps stand beside passkeys: they have a sealed secret in place of a public key.
alter table methods
  alter column credential_id drop not null,
  alter column public_key drop not null,
  alter column aaguid drop not null,
  alter column backed_up drop not null,
  add column sealed_secret text;

create table recovery_codes (
  user_id text primary key,
  -- Keyed hashes of those that are left.
  hashes text[] not null,
  generated_at timestamptz not null
);

create table linked_accounts (
  id text primary key,
  user_id text not null,
  identity_provider_id text not null,
  -- Null once the person is erased.
  subject text,
  email text,
  linked_at timestamptz not null
);
create index linked_accounts_user on linked_accounts (user_id);

alter table users add column locked_until timestamptz;

alter table enrollment_links add column mailed_token_hash text;
create index enrollment_links_mailed on enrollment_links (mailed_token_hash);

alter table sessions
  add column device_id text,
  add column location text;
