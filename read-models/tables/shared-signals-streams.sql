-- Streams of security events to applications (OpenID Shared Signals Framework).
create table shared_signals_streams (
  id text primary key,
  application_id text not null,
  description text,
  events_requested text[] not null,
  -- RFC 8935 (push) or RFC 8936 (poll)
  method text not null,
  endpoint_url text,
  -- The Authorization header of pushed events, encrypted.
  sealed_authorization text,
  status text not null,
  status_reason text,
  status_by text not null,
  deleted boolean not null,
  created_at timestamptz not null,
  -- Earlier events are not sent.
  created_position text collate "C" not null,
  updated_at timestamptz not null,
  version integer not null
);
create index shared_signals_streams_application on shared_signals_streams (application_id) where not deleted;
create index shared_signals_streams_created on shared_signals_streams (created_at desc, id desc) where not deleted;
