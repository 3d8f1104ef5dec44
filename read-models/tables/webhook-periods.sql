-- What each endpoint asked for, and whether it was active, from which place in the log up to which.
create table webhook_periods (
  webhook_id text not null,
  from_position text collate "C" not null,
  -- Null while it lasts.
  to_position text collate "C",
  created_position text collate "C" not null,
  active boolean not null,
  events text[] not null,
  primary key (webhook_id, from_position)
);
create index webhook_periods_open on webhook_periods (webhook_id) where to_position is null;
