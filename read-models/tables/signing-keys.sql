create table signing_keys (
  id text primary key,
  kid text not null,
  alg text not null,
  status text not null,
  public_jwk jsonb not null,
  sealed_private_key text not null,
  created_at timestamptz not null,
  activated_at timestamptz,
  retires_at timestamptz
);
