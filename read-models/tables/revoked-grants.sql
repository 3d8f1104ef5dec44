-- Only what was taken back is looked up: a token is good unless something here, or its person, application or
-- session, says otherwise.
create table revoked_grants (
  grant_id text primary key,
  application_id text not null,
  -- Null for an application that acts for itself.
  user_id text,
  reason text not null,
  revoked_at timestamptz not null
);
