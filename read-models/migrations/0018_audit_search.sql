-- All that one request did, and everything of those who are, or were ever, called so.
create index audit_events_correlation on audit_events ((substring(leaf from '"correlationId":"([^"]*)"')), position);
create index audit_events_other on audit_events (other_id, position) where other_id is not null;
create index audit_names_name on audit_names (lower(name) collate "C") where name is not null;

-- Where an attempt to sign in stands in the log: whoever reads them all goes on from there. Null for those recorded before
-- this column was there, until the read models are rebuilt.
alter table sign_ins add column position text collate "C";
create index sign_ins_position on sign_ins (position) where position is not null;
