-- Where unauthenticated requests come from: `origin` and `network` are keyed hashes of the network, `site` of the site.
ALTER TABLE work.auth_request ADD COLUMN IF NOT EXISTS origin text NOT NULL DEFAULT '';
ALTER TABLE work.auth_request ADD COLUMN IF NOT EXISTS site text NOT NULL DEFAULT '';
DROP INDEX IF EXISTS work.auth_request_application;
CREATE INDEX IF NOT EXISTS auth_request_origin ON work.auth_request (origin, created_at DESC, id DESC);

ALTER TABLE work.device_login ADD COLUMN IF NOT EXISTS site text NOT NULL DEFAULT '';
DROP INDEX IF EXISTS work.device_login_origin;
CREATE INDEX IF NOT EXISTS device_login_newest ON work.device_login (origin, created_at DESC, id DESC);

-- `device` is a hash of the cookie that devices are known by, `replaces` of what the browser kept from its last request,
-- whose link this one replaces. `asker` is what the user knows of the requester, once the user is known.
ALTER TABLE work.magic_link ADD COLUMN IF NOT EXISTS network text NOT NULL DEFAULT '';
ALTER TABLE work.magic_link ADD COLUMN IF NOT EXISTS device text;
ALTER TABLE work.magic_link ADD COLUMN IF NOT EXISTS replaces text;
ALTER TABLE work.magic_link ADD COLUMN IF NOT EXISTS asker text;
CREATE INDEX IF NOT EXISTS magic_link_network ON work.magic_link (network) WHERE user_id IS NULL;

-- From now on the subject of work.code_tries is also `<id>|<dev_ id>`, a known device of the user, or `<id>|signed_in`;
-- its row by id alone is of strangers. `tries` are [{kind, at, from}], `locks` {kind|from: until when}, where `from` is a
-- keyed hash of a stranger's network.

-- Wrong codes of strangers within the last hour, for any user: `network` and `subject` are keyed hashes, or ids.
CREATE UNLOGGED TABLE IF NOT EXISTS work.stranger_code (
  network text NOT NULL,
  subject text NOT NULL,
  at      timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS stranger_code_network ON work.stranger_code (network, at);
CREATE INDEX IF NOT EXISTS stranger_code_at ON work.stranger_code (at);

-- Has a row while codes are guessed across all users. `seen_at`: when that was last so; `told`: the log has an event of it.
CREATE TABLE IF NOT EXISTS work.code_guessing (
  only_one      boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  risk_event_id text NOT NULL,
  seen_at       timestamptz NOT NULL,
  told          boolean NOT NULL DEFAULT false
);
