import type pg from 'pg'
import type { LastingSchema } from '../../../adapters/engines/postgres/migrate.ts'

/**
 * The shape of a schema: one line for each column, index, constraint, function and table, except the table that
 * records migrations.
 */
export const shapeOf = async (client: pg.Pool | pg.ClientBase, schema: LastingSchema): Promise<string[]> => {
  const { rows } = await client.query<{ line: string }>(
    `with tables as (
       select c.oid, n.nspname || '.' || c.relname as name, c.relpersistence, c.reloptions
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = $1 and c.relkind = 'r' and c.relname <> 'migration')
     select format('table %s %s %s', name, relpersistence, coalesce(reloptions::text, '')) as line from tables
     union all
     select format('column %s.%s %s%s%s%s', t.name, a.attname, format_type(a.atttypid, a.atttypmod),
       case when co.collname <> 'default' then ' collate ' || co.collname else '' end,
       case when a.attnotnull then ' not null' else '' end,
       coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), ''))
     from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
     left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
     left join pg_collation co on co.oid = a.attcollation
     union all
     select format('constraint %s %s %s', t.name, c.conname, pg_get_constraintdef(c.oid))
     from tables t join pg_constraint c on c.conrelid = t.oid and c.contype <> 'n'
     union all
     select format('index %s', pg_get_indexdef(i.indexrelid)) from tables t join pg_index i on i.indrelid = t.oid
     union all
     select format('function %s %s', p.oid::regprocedure, md5(pg_get_functiondef(p.oid)))
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = $1
     union all
     select format('comment %s', obj_description(n.oid, 'pg_namespace')) from pg_namespace n where n.nspname = $1`,
    [schema],
  )
  return rows.map(({ line }) => line.trimEnd()).sort()
}
