-- The selected events and the status of each endpoint, between log positions.
create table webhook_periods (
  webhook_id text not null,
  from_position text collate "C" not null,
  -- Null for the current period.
  to_position text collate "C",
  created_position text collate "C" not null,
  active boolean not null,
  events text[] not null,
  primary key (webhook_id, from_position)
);
create index webhook_periods_open on webhook_periods (webhook_id) where to_position is null;
