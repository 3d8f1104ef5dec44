-- Only revocations are stored: a token is valid unless it is revoked here, or by its user, application or session.
create table revoked_grants (
  grant_id text primary key,
  application_id text not null,
  -- Null for an application that acts for itself.
  user_id text,
  reason text not null,
  revoked_at timestamptz not null
);
