-- Directories page through people and groups by number: an index that holds nothing else is walked to the page.
create index users_present on users (id) where status <> 'deleted';
create index groups_present on groups (id) where status = 'exists';
create index groups_external_id on groups (external_id) where status = 'exists' and external_id is not null;
