-- Lists are sorted and searched by these, bytewise, so that one index serves the order, the page and the prefix.

create index users_by_name on users ((lower(name) collate "C"), id);
create index users_by_email on users ((lower(email) collate "C"), id);
create index groups_by_name on groups ((lower(name) collate "C"), id);
create index groups_created on groups (created_at, id);
create index applications_by_name on applications ((lower(name) collate "C"), id);
create index applications_created on applications (created_at, id);
create index sessions_user_created on sessions (user_id, created_at desc, id desc);
