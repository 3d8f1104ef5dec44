-- Certificates for signing SAML responses, without deleted ones.
create table saml_certificates (
  id text primary key,
  status text not null,
  certificate text not null,
  fingerprint text not null,
  not_before timestamptz not null,
  not_after timestamptz not null,
  sealed_private_key text not null,
  created_at timestamptz not null,
  activated_at timestamptz
);
