-- The time of each permanent event. It maps a time to a log position, which all queries about the past use.
create table log_moments (
  position text collate "C" primary key,
  at timestamptz not null
);
create index log_moments_at on log_moments (at, position);
