-- Security events that wait for their receivers. An instance that pushes one claims it until next_attempt_at.
create table work.shared_signal (
  -- jti of the security event token
  id text primary key,
  -- Receivers that poll get events in this order.
  place bigint generated always as identity,
  stream_id text not null,
  -- Members of the token besides those that every token has: sub_id, events, txn
  claims jsonb not null,
  noted_at timestamptz not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  -- delivered, rejected, failed or unwanted
  outcome text,
  outcome_at timestamptz,
  error text
);
create index shared_signal_due on work.shared_signal (next_attempt_at) where outcome is null;
create index shared_signal_pending on work.shared_signal (stream_id, place) where outcome is null;
create index shared_signal_finished on work.shared_signal (outcome_at) where outcome is not null;
