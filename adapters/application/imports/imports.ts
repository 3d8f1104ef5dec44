/**
 * Imports of users and groups from files: stored line by line, checked against what exists (the dry run), and made line
 * by line once an administrator has seen that. Any instance works on them; each line is made once.
 */
import { DomainError } from '../../../domain/errors.ts'
import type { Id } from '../../../domain/ids.ts'
import { linesOf, type ImportLine, type LineChecks } from '../../../domain/import/lines.ts'
import type { ImportAction } from '../../../domain/import/plan.ts'
import type { ImportSource } from '../../../domain/import/records.ts'
import type { Role } from '../../../domain/roles.ts'
import { countLines, findImport, listImports, listLines } from '../../../read-models/queries/imports.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { readImportFile } from './read-file.ts'

/** How long an import is kept, with the personal data in its lines. */
const LIFETIME_SECONDS = 7 * 86_400
/** Imports that may be checked or made at the same time. */
const MAX_UNFINISHED = 3
/** Lines that one statement stores. */
const AT_ONCE = 1000

const keyOf = (line: ImportLine): string | null => {
  if (line.problem !== undefined) return null
  if (line.kind === 'group') return line.name.toLowerCase()
  return line.kind === 'user' && line.skipped === undefined ? (line.profile.email ?? '').toLowerCase() : null
}

export const importCommands = ({ pool, clock }: Pick<Services, 'pool' | 'clock'>) => {
  const mustNotBeTooMany = async (): Promise<void> => {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*) from work.import where status in ('checking', 'running') and expires_at > $1`,
      [clock.now()],
    )
    if ((rows[0]?.count ?? 0) >= MAX_UNFINISHED)
      throw new DomainError(
        'ERR_CONFLICT',
        `${String(MAX_UNFINISHED)} imports are not finished. Wait for one of them, or delete it.`,
      )
  }

  return {
    /**
     * Stores the lines of a file; a background task checks them.
     * @throws DomainError ERR_INVALID for a file that cannot be read, ERR_TOO_LARGE, ERR_CONFLICT
     */
    upload: async (
      file: { readonly source: ImportSource; readonly bytes: Buffer; readonly updates: boolean },
      checks: LineChecks,
      requestedBy: string | null,
      actor: Actor,
    ): Promise<Id<'import'>> => {
      await mustNotBeTooMany()
      const { records, ignored } = await readImportFile(file.source, file.bytes)
      const lines = linesOf(records, checks)
      const id = idsFor(actor.idempotencyKey).newId('import')
      // Not yet checked: the lease keeps the task away until all lines are stored.
      const { rowCount } = await pool.query(
        `insert into work.import (id, source, updates, requested_by, requested_at, status, lines, ignored, expires_at,
           leased_until)
         values ($1, $2, $3, $4, $5, 'checking', $6, $7, $8, $9) on conflict do nothing`,
        [
          id,
          file.source,
          file.updates,
          requestedBy,
          clock.now(),
          lines.length,
          ignored,
          clock.in(LIFETIME_SECONDS),
          clock.in(600),
        ],
      )
      if (rowCount === 0) return id
      for (let from = 0; from < lines.length; from += AT_ONCE) {
        const some = lines.slice(from, from + AT_ONCE)
        await pool.query(
          `insert into work.import_line (import_id, number, kind, key, content)
           select $1, * from unnest($2::int[], $3::text[], $4::text[], $5::jsonb[])`,
          [
            id,
            some.map((_, index) => from + index + 1),
            some.map(({ kind }) => kind),
            some.map(keyOf),
            some.map((line) => JSON.stringify(line)),
          ],
        )
      }
      await pool.query('update work.import set leased_until = null where id = $1', [id])
      return id
    },

    list: () => listImports(pool, clock.now()),
    find: (id: string) => findImport(pool, id, clock.now()),
    counts: (id: string) => countLines(pool, id),
    lines: (
      id: string,
      filters: { action?: ImportAction | undefined; result?: 'done' | 'failed' | undefined },
      after: number,
      limit: number,
    ) => listLines(pool, id, filters, after, limit),

    /**
     * Makes the lines of a checked import, in the name of the actor.
     * @param invites whether new users get an email
     * @throws DomainError ERR_NOT_FOUND, ERR_CONFLICT if it is not checked, or was started
     */
    start: async (
      id: string,
      invites: boolean,
      roles: readonly Role[],
      { idempotencyKey: _, ifVersion: __, ...actor }: Actor,
    ): Promise<void> => {
      await mustNotBeTooMany()
      const { rowCount } = await pool.query(
        `update work.import set status = 'running', reached = 0, invites = $2, roles = $3, actor = $4
         where id = $1 and status = 'ready'`,
        [id, invites, roles, JSON.stringify(actor)],
      )
      if (rowCount === 1) return
      const row = await findImport(pool, id, clock.now())
      if (row === null) throw new DomainError('ERR_NOT_FOUND')
      throw new DomainError('ERR_CONFLICT', `The import cannot be started: its status is ${row.status}.`)
    },

    /** Forgets an import; what it has made stays. @throws DomainError ERR_NOT_FOUND */
    delete: async (id: string): Promise<void> => {
      const { rowCount } = await pool.query('delete from work.import where id = $1', [id])
      if (rowCount === 0) throw new DomainError('ERR_NOT_FOUND')
    },

    /** Deletes old imports with their lines. */
    sweep: () => pool.query('delete from work.import where expires_at <= $1', [clock.now()]),
  }
}
