-- Possible attacks on users.
create table risk_events (
  id text primary key,
  -- Null if all users are at risk.
  user_id text,
  type text not null,
  level text not null,
  state text not null,
  sign_in_id text,
  session_id text,
  ip text,
  location text,
  detail jsonb not null,
  created_at timestamptz not null,
  resolved_at timestamptz,
  resolved_by text,
  -- The sign-in with a passkey that ended the risk.
  resolved_by_sign_in_id text,
  note text,
  -- Whether the user's sign-in methods were reset since.
  is_reset boolean not null,
  version integer not null
);
create index risk_events_detected on risk_events (created_at desc, id desc);
create index risk_events_user on risk_events (user_id, created_at desc, id desc);
create index risk_events_sign_in on risk_events (sign_in_id) where sign_in_id is not null;
-- The current risk of a user, which every use of a session reads.
create index risk_events_open on risk_events (user_id) where state in ('at_risk', 'confirmed_compromised');
create index risk_events_state on risk_events (state, created_at desc, id desc);
