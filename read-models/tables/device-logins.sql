-- Decisions of users on sign-ins on other devices (RFC 8628). Pending ones are in work.device_login.
create table device_logins (
  id text primary key,
  outcome text not null,
  application_id text not null,
  user_id text not null,
  session_id text,
  grant_id text,
  scopes text[],
  api_resource_ids text[],
  auth_time timestamptz,
  authorized_at text collate "C",
  decided_at timestamptz not null
);
