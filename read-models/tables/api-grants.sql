-- Scopes of API resources that were granted to applications, with the time of each grant.
create table api_grants (
  from_position text collate "C" primary key,
  grant_id text not null,
  application_id text not null,
  api_resource_id text not null,
  scopes text[] not null,
  from_at timestamptz not null,
  granted_by text,
  to_position text collate "C",
  to_at timestamptz,
  ended_by text
);
create index api_grants_open on api_grants (application_id, api_resource_id) where to_position is null;
create index api_grants_of_resource on api_grants (api_resource_id) where to_position is null;
create index api_grants_history on api_grants (application_id, from_at);
