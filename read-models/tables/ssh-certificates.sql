create table ssh_certificates (
  -- The serial number.
  id text primary key,
  user_id text not null,
  -- Null if the user was erased, as is revoke_reason.
  key_id text,
  key_type text not null,
  key_fingerprint text not null,
  authority_fingerprint text not null,
  principals text[] not null,
  source_addresses text[] not null,
  extensions text[] not null,
  valid_after timestamptz not null,
  valid_before timestamptz not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  revoked_by text,
  revoke_reason text
);
create index ssh_certificates_created on ssh_certificates (created_at desc, id desc);
create index ssh_certificates_user on ssh_certificates (user_id, created_at desc, id desc);
create index ssh_certificates_valid on ssh_certificates (valid_before);
