-- rebuild: settings that nobody has changed are those of this version, and sessions tell where in the log their person last proved who they are.
alter table sessions add column auth_position text collate "C" not null default '';
alter table sessions alter column auth_position drop default;
-- The person's own methods that a session rests on; null where the log does not tell.
alter table sessions add column method_ids text[];
