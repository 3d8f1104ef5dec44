create table ssh_host_certificates (
  -- The serial number.
  id text primary key,
  service_account_id text not null,
  key_id text not null,
  key_type text not null,
  key_fingerprint text not null,
  authority_fingerprint text not null,
  host_names text[] not null,
  valid_after timestamptz not null,
  valid_before timestamptz not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  revoked_by text,
  revoke_reason text
);
create index ssh_host_certificates_created on ssh_host_certificates (created_at desc, id desc);
create index ssh_host_certificates_account on ssh_host_certificates (service_account_id, created_at desc, id desc);
create index ssh_host_certificates_valid on ssh_host_certificates (valid_before);
