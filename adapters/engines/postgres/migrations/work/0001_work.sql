-- The shape of release 0.1.0, which had no table of migrations: on a database of that release this changes nothing.

-- Which instance runs a consumer now. The fence grows with each change of hands.
CREATE TABLE IF NOT EXISTS work.lease (
  name       text PRIMARY KEY,
  holder     text NOT NULL,
  fence      bigint NOT NULL,
  expires_at timestamptz NOT NULL
);

-- How far subscribers with effects outside the read models have come; a rebuild leaves these alone.
CREATE TABLE IF NOT EXISTS work.checkpoint (
  name     text PRIMARY KEY,
  position text COLLATE "C" NOT NULL
);

-- What is sent to webhook endpoints: one row for each event and endpoint. `body` is sealed, and null once a person whom
-- it is about was erased and nobody waits for it any more. `place` is the event's in the log; `subjects` are people.
CREATE TABLE IF NOT EXISTS work.webhook_delivery (
  id               text PRIMARY KEY,
  webhook_id       text NOT NULL,
  event_id         text NOT NULL,
  event_type       text NOT NULL,
  place            text COLLATE "C" NOT NULL,
  subjects         text[] NOT NULL,
  body             text,
  status           text NOT NULL,
  attempts         integer NOT NULL DEFAULT 0,
  next_attempt_at  timestamptz,
  http_status      integer,
  error            text,
  error_text       text,
  duration_ms      integer,
  first_attempt_at timestamptz,
  last_attempt_at  timestamptz,
  created_at       timestamptz NOT NULL,
  erased_at        timestamptz,
  unreported       boolean NOT NULL DEFAULT false,
  UNIQUE (webhook_id, event_id)
);
CREATE INDEX IF NOT EXISTS webhook_delivery_newest ON work.webhook_delivery (webhook_id, place DESC);
CREATE INDEX IF NOT EXISTS webhook_delivery_queued ON work.webhook_delivery (webhook_id, place) WHERE status = 'queued';
CREATE INDEX IF NOT EXISTS webhook_delivery_due ON work.webhook_delivery (webhook_id, next_attempt_at)
  WHERE status = 'retrying';
CREATE INDEX IF NOT EXISTS webhook_delivery_unreported ON work.webhook_delivery (id) WHERE unreported;
CREATE INDEX IF NOT EXISTS webhook_delivery_subjects ON work.webhook_delivery USING gin (subjects);

-- The last outcome of each endpoint. `told` is true from the audit entry that deliveries fail until one succeeds.
CREATE TABLE IF NOT EXISTS work.webhook_health (
  webhook_id      text PRIMARY KEY,
  last_attempt_at timestamptz NOT NULL,
  last_status     text NOT NULL,
  failing_since   timestamptz,
  told            boolean NOT NULL DEFAULT false
);

-- The audit checkpoint that endpoints were last notified of.
CREATE TABLE IF NOT EXISTS work.webhook_checkpoint (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  size     bigint NOT NULL,
  told_at  timestamptz NOT NULL
);

-- Unique values claimed by appends under way; `value` is a keyed hash. `position` is the append's once it is known.
CREATE TABLE IF NOT EXISTS work.reservation (
  kind     text NOT NULL,
  value    text NOT NULL,
  owner    text NOT NULL,
  taken_at timestamptz NOT NULL,
  position text COLLATE "C",
  PRIMARY KEY (kind, value)
);

-- Authorization requests on their way through sign-in. Unauthenticated, so short-lived and never in the log.
CREATE UNLOGGED TABLE IF NOT EXISTS work.auth_request (
  id             text PRIMARY KEY,
  application_id text NOT NULL,
  parameters     jsonb NOT NULL,
  created_at     timestamptz NOT NULL,
  expires_at     timestamptz NOT NULL,
  -- The session that its user signed in with for it.
  signed_in      text
);
CREATE INDEX IF NOT EXISTS auth_request_expires ON work.auth_request (expires_at);
CREATE INDEX IF NOT EXISTS auth_request_application ON work.auth_request (application_id, expires_at);

-- Counters of passkeys: moved by every use, so not worth an event each.
CREATE TABLE IF NOT EXISTS work.method_use (
  method_id    text PRIMARY KEY,
  sign_count   bigint NOT NULL,
  last_used_at timestamptz NOT NULL
);

-- When sessions were last seen, written at most once a minute each.
CREATE TABLE IF NOT EXISTS work.session_use (
  session_id   text PRIMARY KEY,
  last_seen_at timestamptz NOT NULL
);

-- When and from where devices were last seen, written at most once a minute each.
CREATE TABLE IF NOT EXISTS work.device_use (
  device_id    text PRIMARY KEY,
  user_id      text NOT NULL,
  last_seen_at timestamptz NOT NULL,
  -- Sealed, and a keyed hash that tells whether it is another.
  last_ip      text,
  ip_hash      text
);
CREATE INDEX IF NOT EXISTS device_use_user ON work.device_use (user_id);

CREATE TABLE IF NOT EXISTS work.client_secret_use (
  secret_id    text PRIMARY KEY,
  last_used_at timestamptz NOT NULL
);

CREATE TABLE IF NOT EXISTS work.api_key_use (
  key_id       text PRIMARY KEY,
  last_used_at timestamptz NOT NULL,
  last_used_ip text
);

-- Answers kept for repeated requests (Idempotency-Key). `answer` is sealed: it may hold secrets that are shown once.
CREATE TABLE IF NOT EXISTS work.idempotency (
  key          text PRIMARY KEY,
  fingerprint  text NOT NULL,
  started_at   timestamptz NOT NULL,
  attempt      integer NOT NULL,
  leased_until timestamptz NOT NULL,
  answer       text
);
CREATE INDEX IF NOT EXISTS idempotency_started_at ON work.idempotency (started_at);

-- Sign-ins on other devices that wait for a person (RFC 8628). Unauthenticated, so short-lived, bounded and never in the
-- log; what the person says is. `request` is sealed, `origin` a keyed hash of the network it came from.
CREATE UNLOGGED TABLE IF NOT EXISTS work.device_login (
  id               text PRIMARY KEY,
  device_code      text NOT NULL UNIQUE,
  user_code        text NOT NULL UNIQUE,
  application_id   text NOT NULL,
  request          text NOT NULL,
  origin           text NOT NULL,
  created_at       timestamptz NOT NULL,
  expires_at       timestamptz NOT NULL,
  interval_seconds integer NOT NULL,
  polled_at        timestamptz,
  polled_too_soon  boolean NOT NULL DEFAULT false
);
CREATE INDEX IF NOT EXISTS device_login_expires ON work.device_login (expires_at);
CREATE INDEX IF NOT EXISTS device_login_origin ON work.device_login (origin, expires_at);

-- Wrong codes that were typed of late. `subject` is a person's id or, where an address is nobody's, a keyed hash of it.
-- `tries` are [{kind, at}], `locks` {kind: until when}; `locked_until` is for all kinds. `announced_until` is of the
-- lockout that the log has heard of and not yet of its end, `noted_until` of the one whose first refusal was recorded.
CREATE TABLE IF NOT EXISTS work.code_tries (
  subject         text PRIMARY KEY,
  version         bigint NOT NULL,
  tries           jsonb NOT NULL,
  locks           jsonb NOT NULL,
  locked_until    timestamptz,
  announced_until timestamptz,
  noted_until     timestamptz,
  last_at         timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS code_tries_last_at ON work.code_tries (last_at);
CREATE INDEX IF NOT EXISTS code_tries_locked ON work.code_tries (locked_until) WHERE locked_until IS NOT NULL;
CREATE INDEX IF NOT EXISTS code_tries_announced ON work.code_tries (announced_until) WHERE announced_until IS NOT NULL;

-- Applications to notify of the end of a session (OpenID Connect Back-Channel Logout). `outcome` is null until it is
-- known; rows stay a while after, so that no notice is sent twice.
CREATE TABLE IF NOT EXISTS work.logout_notice (
  session_id      text NOT NULL,
  application_id  text NOT NULL,
  user_id         text NOT NULL,
  noted_at        timestamptz NOT NULL,
  attempts        integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL,
  outcome         text,
  PRIMARY KEY (session_id, application_id)
);
CREATE INDEX IF NOT EXISTS logout_notice_due ON work.logout_notice (next_attempt_at) WHERE outcome IS NULL;

-- Emails to be sent. Their text is not here: it is made when they go out. `parameters` holds no token, and nothing
-- personal in clear. `outcome` is null until it is known; rows stay a while after, so that nothing is queued twice.
CREATE TABLE IF NOT EXISTS work.mail (
  cause           text NOT NULL,
  kind            text NOT NULL,
  user_id         text NOT NULL,
  parameters      jsonb NOT NULL,
  queued_at       timestamptz NOT NULL,
  expires_at      timestamptz NOT NULL,
  attempts        integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL,
  outcome         text,
  PRIMARY KEY (cause, kind)
);
CREATE INDEX IF NOT EXISTS mail_due ON work.mail (next_attempt_at) WHERE outcome IS NULL;

-- Sign-in links requested by email. Unauthenticated, so short-lived and never in the log. `request` is sealed, `address`
-- a keyed hash, `browser` a hash of a secret in the requesting browser; `user_id` is null until the address was looked up.
CREATE UNLOGGED TABLE IF NOT EXISTS work.magic_link (
  id           text PRIMARY KEY,
  token_hash   text NOT NULL UNIQUE,
  request      text NOT NULL,
  address      text NOT NULL,
  browser      text NOT NULL,
  proof_id     text NOT NULL,
  user_id      text,
  requested_at timestamptz NOT NULL,
  expires_at   timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS magic_link_waiting ON work.magic_link (requested_at) WHERE user_id IS NULL;
CREATE INDEX IF NOT EXISTS magic_link_user ON work.magic_link (user_id, requested_at);
CREATE INDEX IF NOT EXISTS magic_link_expires ON work.magic_link (expires_at);

-- The state of provisioning for each application. `marks` grows with every change that may add or remove an account,
-- `seen` is its value when the last run began. `held_until` is from the Retry-After of the application.
CREATE TABLE IF NOT EXISTS work.provisioning (
  application_id text PRIMARY KEY,
  generation     integer NOT NULL,
  marks          bigint NOT NULL DEFAULT 0,
  seen           bigint NOT NULL DEFAULT -1,
  run_id         text,
  run_started_at timestamptz,
  run_total      integer,
  run_done       integer,
  looked_at      timestamptz,
  last_sync_at   timestamptz,
  last_error     text,
  failures       integer NOT NULL DEFAULT 0,
  held_until     timestamptz,
  requested_run  text
);

-- The accounts of users in applications. `pushed` is a keyed digest of what was last sent; `report` is what was done and
-- is not in the log yet. A missing row is created from the log again, and the user is then pushed once more. `user_name`
-- is the name of the account there, present or intended.
CREATE TABLE IF NOT EXISTS work.provisioned_user (
  application_id  text NOT NULL,
  user_id         text NOT NULL,
  generation      integer NOT NULL,
  remote_id       text,
  active          boolean NOT NULL DEFAULT false,
  pushed          text,
  last_pushed_at  timestamptz,
  error           text,
  attempts        integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz,
  reports         integer NOT NULL DEFAULT 0,
  report          jsonb,
  user_name       text,
  PRIMARY KEY (application_id, user_id)
);
CREATE INDEX IF NOT EXISTS provisioned_user_report ON work.provisioned_user (application_id) WHERE report IS NOT NULL;
CREATE INDEX IF NOT EXISTS provisioned_user_again ON work.provisioned_user (application_id, next_attempt_at)
  WHERE next_attempt_at IS NOT NULL;
