-- The audit trail. A row contains the event as the log stores it, with encrypted personal fields that readers
-- decrypt. So rows never change, and erasing a user makes the personal data in all of them unreadable at once.
create table audit_events (
  id text primary key,
  position text collate "C" not null,
  time timestamptz not null,
  action text collate "C" not null,
  actor_id text,
  target_type text not null,
  target_id text not null,
  -- The other party of the event, and the user whom it is about.
  other_id text,
  subject_id text,
  -- Retention class of the event; the row is deleted with it.
  kept text not null,
  -- The stored event in canonical JSON: a leaf of the audit tree.
  leaf text not null
);
create unique index audit_events_position on audit_events (position);
create index audit_events_time on audit_events (time);
create index audit_events_action on audit_events (action, position);
create index audit_events_actor on audit_events (actor_id, position);
create index audit_events_target on audit_events (target_id, position);
create index audit_events_subject on audit_events (subject_id, position);
create index audit_events_passing on audit_events (time) where kept <> 'permanent';
create index audit_events_correlation on audit_events ((substring(leaf from '"correlationId":"([^"]*)"')), position);
create index audit_events_other on audit_events (other_id, position) where other_id is not null;
