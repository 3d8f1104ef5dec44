-- When each event that is kept for ever was decided. A time is turned into a place in the log by it, and everything that
-- is asked about the past is asked of that place.
create table log_moments (
  position text collate "C" primary key,
  at timestamptz not null
);
create index log_moments_at on log_moments (at, position);
