create table access_review_items (
  id text primary key,
  review_id text not null,
  -- The order of the population.
  number integer not null,
  user_id text not null,
  resource_type text not null,
  resource_id text not null,
  resource_name text not null,
  paths jsonb not null,
  last_used_at timestamptz,
  recommendation text not null,
  reason text not null,
  -- The reviewers of each stage, as recorded.
  reviewers jsonb not null,
  -- The stage that decides, from 1, and who decides it.
  stage integer not null,
  reviewer_ids text[] not null,
  -- `pending` until the last stage has decided.
  decision text not null,
  -- [{reviewerId, decision, justification, at, stage}, …], oldest first.
  decisions jsonb not null,
  decided_at timestamptz,
  apply_status text not null,
  apply_error text,
  version integer not null
);
create index access_review_items_of_review on access_review_items (review_id, number);
create index access_review_items_counts on access_review_items (review_id, decision, apply_status);
create index access_review_items_to_decide on access_review_items using gin (reviewer_ids) where decision = 'pending';
create index access_review_items_of_user on access_review_items (user_id);
create index access_review_items_of_resource on access_review_items (resource_id);
