create table ssh_authority_keys (
  fingerprint text primary key,
  status text not null,
  public_key text not null,
  sealed_private_key text not null,
  created_at timestamptz not null,
  activated_at timestamptz,
  retires_at timestamptz
);
