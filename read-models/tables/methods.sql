create table methods (
  id text primary key,
  user_id text not null,
  type text not null,
  name text,
  credential_id text,
  public_key text,
  -- Authenticator apps have a secret instead of a public key.
  sealed_secret text,
  initial_sign_count bigint not null,
  transports text[] not null,
  aaguid text,
  backed_up boolean,
  created_at timestamptz not null
);
create index methods_user on methods (user_id);
create unique index methods_credential on methods (credential_id);
