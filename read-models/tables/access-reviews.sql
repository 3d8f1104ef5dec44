create table access_reviews (
  id text primary key,
  name text not null,
  description text,
  scope jsonb not null,
  stages jsonb not null,
  schedule jsonb not null,
  settings jsonb not null,
  status text not null,
  starts_at timestamptz not null,
  -- The log position at which the population is computed; null until the review starts.
  position text,
  started_at timestamptz,
  ends_at timestamptz,
  -- When the population was complete.
  opened_at timestamptz,
  closed_at timestamptz,
  close_reason text,
  completed_at timestamptz,
  -- Days before the end of which reviewers were reminded.
  reminded integer[] not null,
  previous_review_id text,
  -- When the first of the series starts.
  series_starts_at timestamptz,
  -- Who saved it last, or decided to apply it.
  author_id text,
  created_at timestamptz not null,
  created_position text collate "C" not null,
  updated_at timestamptz not null,
  version integer not null
);
create index access_reviews_by_creation on access_reviews (created_position);
create index access_reviews_unfinished on access_reviews (status) where status in ('scheduled', 'active', 'closed', 'applying');
