CREATE SCHEMA IF NOT EXISTS work;

-- Answers kept for repeated requests (Idempotency-Key). `answer` is sealed: it may hold once-only secrets.
CREATE TABLE IF NOT EXISTS work.idempotency (
  key          text PRIMARY KEY,
  fingerprint  text NOT NULL,
  started_at   timestamptz NOT NULL,
  attempt      integer NOT NULL,
  leased_until timestamptz NOT NULL,
  answer       text
);
CREATE INDEX IF NOT EXISTS idempotency_started_at ON work.idempotency (started_at);
