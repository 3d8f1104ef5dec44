-- The event log in the shape of release 0.1.0, which had no table of migrations: on a database of that release this changes
-- nothing. Positions are assigned under the row lock on log.head, which is held until commit: a reader that sees a
-- position sees every lower one.

create table if not exists log.head (
  only_one boolean primary key default true check (only_one),
  position bigint not null
) with (fillfactor = 10);
insert into log.head (position) values (0) on conflict do nothing;

-- Outlives the stream's events, so that a pruned stream goes on where it was.
create table if not exists log.stream (
  name text collate "C" primary key,
  revision bigint not null
) with (fillfactor = 80);

-- data and metadata are JSON as text: jsonb takes neither \u0000 nor a lone surrogate.
create table if not exists log.event (
  position bigint primary key,
  stream text collate "C" not null,
  revision bigint not null,
  id uuid not null unique,
  type text collate "C" not null,
  data text not null,
  metadata text not null,
  recorded timestamptz not null,
  unique (stream, revision)
);
create index if not exists event_category_recorded on log.event (split_part(stream, '-', 1), recorded);

-- Many appends at once. Per request: stream, expected (a revision, -1 no stream, -2 any, -4 stream exists), number of
-- events, turn (0 for the first request on its stream, 1 for the second, …). Per event: its request (from 1), its place
-- in the request (from 1), and itself. Answers per request: 'appended' or 'repeated' with revision and position of the
-- last event, 'conflict' with the revision found (null: no stream), 'taken' when ids belong to other events.
-- The plan is kept to index look-ups and hash joins: a plan made while the tables were small would scan them.
create or replace function log.append(
  streams text[], expectations bigint[], counts int[], turns int[],
  requests int[], places int[], ids uuid[], types text[], data text[], metadata text[]
) returns table (request int, outcome text, revision bigint, "position" bigint)
language plpgsql set enable_seqscan = off set enable_nestloop = off set enable_mergejoin = off set jit = off
  set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  before bigint;
  reached bigint;
  round int := 0;
  last_round int := (select max(t) from unnest(turns) t);
begin
  select h.position into strict before from log.head h for update;
  reached := before;
  -- What nearly every call is: none of the events is known, and no stream is asked for twice.
  if last_round = 0 and not exists (select from log.event e where e.id = any (ids)) then
    return query
    with judged as materialized (
      select j.*, case when j.fits then
          (before + sum(j.count) filter (where j.fits) over (order by j.request) - j.count)::bigint end as position
      from (
        select a.request::int, a.stream, a.count, s.revision as actual,
          a.expected = -2 or (a.expected = -1 and s.revision is null)
            or (a.expected = -4 and s.revision is not null) or a.expected is not distinct from s.revision as fits
        from unnest(streams, expectations, counts) with ordinality as a (stream, expected, count, request)
        left join lateral (select s.revision from log.stream s where s.name = a.stream offset 0) s on true
      ) j
    ), events as (
      insert into log.event (position, stream, revision, id, type, data, metadata, recorded)
      select j.position + g.place, j.stream, coalesce(j.actual, -1) + g.place, g.id, g.type, g.data, g.metadata,
        clock_timestamp()
      from judged j join unnest(requests, places, ids, types, data, metadata)
        as g (request, place, id, type, data, metadata) on g.request = j.request
      where j.fits order by 1
    ), revisions as (
      insert into log.stream as s (name, revision)
      select j.stream, coalesce(j.actual, -1) + j.count from judged j where j.fits
      on conflict (name) do update set revision = excluded.revision
    )
    select j.request, case when j.fits then 'appended' else 'conflict' end,
      case when j.fits then coalesce(j.actual, -1) + j.count else j.actual end, j.position + j.count
    from judged j;
    reached := greatest(reached, (select max(e.position) from log.event e));
    round := 1;
  end if;
  while round <= last_round loop
    return query
    with known as materialized (
      select e.id, e.stream, e.revision, e.position from log.event e where e.id = any (ids)
    ), given as materialized (
      select * from unnest(requests, places, ids, types, data, metadata)
        as g (request, place, id, type, data, metadata)
    ), asked as materialized (
      select a.request::int, a.stream, a.expected, a.count,
        (select s.revision from log.stream s where s.name = a.stream) as actual
      from unnest(streams, expectations, counts, turns) with ordinality
        as a (stream, expected, count, turn, request)
      where a.turn = round
    ), repeats as materialized (
      select a.request, max(k.revision) as revision, max(k.position) as position,
        count(*) = max(a.count) and bool_and(k.stream = a.stream)
          and max(k.revision - g.place) = min(k.revision - g.place) as whole
      from known k join given g on g.id = k.id join asked a on a.request = g.request
      group by a.request
    ), judged as materialized (
      select a.*, r.revision, r.position,
        case
          when r.whole then 'repeated'
          when r.request is not null then 'taken'
          when a.expected = -2 or (a.expected = -1 and a.actual is null)
            or (a.expected = -4 and a.actual is not null) or a.expected = a.actual then 'appended'
          else 'conflict'
        end as outcome
      from asked a left join repeats r on r.request = a.request
    ), accepted as materialized (
      select j.request, j.stream, j.count, coalesce(j.actual, -1) as revision,
        (reached + sum(j.count) over (order by j.request) - j.count)::bigint as position
      from judged j where j.outcome = 'appended'
    ), events as (
      insert into log.event (position, stream, revision, id, type, data, metadata, recorded)
      select a.position + g.place, a.stream, a.revision + g.place, g.id, g.type, g.data, g.metadata, clock_timestamp()
      from accepted a join given g on g.request = a.request
      order by 1
    ), revisions as (
      insert into log.stream as s (name, revision)
      select a.stream, a.revision + a.count from accepted a
      on conflict (name) do update set revision = excluded.revision
    )
    select j.request, j.outcome,
      case j.outcome when 'appended' then a.revision + a.count when 'conflict' then j.actual else j.revision end,
      case j.outcome when 'appended' then a.position + a.count else j.position end
    from judged j left join accepted a on a.request = j.request;
    reached := greatest(reached, (select max(e.position) from log.event e));
    round := round + 1;
  end loop;
  if reached > before then
    update log.head set position = reached;
    perform pg_notify('log', '');
  end if;
end
$$;

-- Release 0.1.0 reads this version and leaves a schema of the same version alone.
comment on schema log is 'event log 2';
