-- Settings of SAML applications; null for the others.
alter table applications add column saml jsonb;
-- Null for other protocols, and once it is free again.
alter table applications add column entity_id text;
create index applications_entity_id on applications (entity_id) where entity_id is not null;

-- What SAML responses are signed with. Those deleted are not here.
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
