create table access_requests (
  id text primary key,
  package_id text not null,
  -- At the time of the request.
  package_name text not null,
  requester_id text not null,
  for_user_id text not null,
  type text not null,
  status text not null,
  justification text,
  answers jsonb not null,
  requested_duration text,
  starts_at timestamptz,
  -- The stages of the package at the time of the request.
  stages jsonb not null,
  -- The current stage, from 1; 0 if no approval is required.
  stage integer not null,
  -- Who can decide the current stage.
  approver_ids text[] not null,
  approver_origin text,
  -- [{approverId, decision, comment, at, stage}, …], oldest first.
  decisions jsonb not null,
  -- Until when the current stage can be decided.
  expires_at timestamptz,
  -- When those who have not decided are reminded; null if they were.
  reminder_at timestamptz,
  decided_at timestamptz,
  assignment_id text,
  error text,
  created_at timestamptz not null,
  created_position text collate "C" not null,
  updated_at timestamptz not null,
  version integer not null
);
create index access_requests_by_creation on access_requests (created_position);
create index access_requests_of_receiver on access_requests (for_user_id, created_position);
create index access_requests_of_requester on access_requests (requester_id, created_position);
create index access_requests_of_package on access_requests (package_id, created_position);
create index access_requests_to_decide on access_requests using gin (approver_ids) where status = 'pending';
create index access_requests_due on access_requests (expires_at) where status = 'pending';
create index access_requests_to_remind on access_requests (reminder_at) where status = 'pending';
