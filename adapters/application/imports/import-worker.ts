import { planLine, type ImportFacts, type Planned } from '../../../domain/import/plan.ts'
import type { ImportLine } from '../../../domain/import/lines.ts'
import type { Profile } from '../../../domain/user/events.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Role } from '../../../domain/roles.ts'
import {
  groupsByName,
  keysOfImport,
  linesToMake,
  listLines,
  membershipsAmong,
  rolesOf,
  takeImport,
  usersByEmail,
  type ImportLineRow,
  type ImportRow,
} from '../../../read-models/queries/imports.ts'
import { groupCommands } from '../commands/groups.ts'
import { mustBeManager } from '../commands/references.ts'
import { userCommands, type UserServices } from '../commands/users.ts'
import type { Actor } from '../services/handle.ts'

const CHECKED_AT_ONCE = 500
const MADE_AT_ONCE = 100
/** Lines that are made at the same time; those of one batch never depend on each other. */
const LANES = 8
const LEASE_SECONDS = 60
/** One run of the task */
const STEP_MS = 5000

type Outcome = Pick<ImportLineRow, 'number'> & {
  readonly result: 'done' | 'failed'
  readonly message: string | null
}

const lower = (text: string): string => text.toLowerCase()

/** The addresses and names that lines mention, in lower case. */
const mentioned = (lines: readonly ImportLine[]) => {
  const emails = lines.flatMap((line) =>
    line.kind === 'user'
      ? [line.profile.email ?? '']
      : line.kind === 'manager'
        ? [line.email, line.manager]
        : line.kind === 'member'
          ? [line.email]
          : [],
  )
  const names = lines.flatMap((line) =>
    line.kind === 'group' ? [line.name] : line.kind === 'member' ? [line.group] : [],
  )
  return { emails: [...new Set(emails.map(lower))], names: [...new Set(names.map(lower))] }
}

/** Works on imports: checks their lines, and makes them once they are started. */
export const importWorker = (services: UserServices) => {
  const { pool, clock } = services
  const users = userCommands(services)
  const groups = groupCommands(services)

  /** @param ofImport whether what the import creates later counts as existing */
  const factsFor = async (
    id: string,
    lines: readonly ImportLine[],
    ofImport: boolean,
  ): Promise<ImportFacts> => {
    const { emails, names } = mentioned(lines)
    const [knownUsers, knownGroups] = [await usersByEmail(pool, emails), await groupsByName(pool, names)]
    const [memberships, newUsers, newGroups] = await Promise.all([
      membershipsAmong(
        pool,
        [...knownGroups.values()].map((group) => group.id),
        [...knownUsers.values()].map((user) => user.id),
        clock.now(),
      ),
      ofImport ? keysOfImport(pool, id, 'user', emails) : new Set<string>(),
      ofImport ? keysOfImport(pool, id, 'group', names) : new Set<string>(),
    ])
    return {
      user: (email) => knownUsers.get(lower(email)),
      group: (name) => knownGroups.get(lower(name)),
      isMember: (groupId, userId) => memberships.has(`${groupId} ${userId}`),
      createsUser: (email) => newUsers.has(lower(email)),
      createsGroup: (name) => newGroups.has(lower(name)),
    }
  }

  /** Stores how far the work is. @returns false if the import was deleted or another instance has it */
  const reached = async ({ id, status }: ImportRow, number: number): Promise<boolean> => {
    const { rowCount } = await pool.query(
      'update work.import set reached = $3, leased_until = $4 where id = $1 and status = $2 and reached < $3',
      [id, status, number, clock.in(LEASE_SECONDS)],
    )
    return rowCount === 1
  }

  /** An instance that stopped while it stored the file left some lines out. */
  const hasAllLines = async ({ id, lines }: ImportRow): Promise<boolean> => {
    const { rows } = await pool.query<{ count: number }>(
      'select count(*) from work.import_line where import_id = $1',
      [id],
    )
    return rows[0]?.count === lines
  }

  const finish = ({ id, status }: ImportRow, next: 'ready' | 'done' | 'failed') =>
    pool.query(
      `update work.import set status = $3, reached = 0, leased_until = null, finished_at = $4
       where id = $1 and status = $2`,
      [id, status, next, next === 'ready' ? null : clock.now()],
    )

  /** @returns the number of the last line that was checked; null if there are no more */
  const check = async ({ id, updates }: ImportRow, after: number): Promise<number | null> => {
    const rows = await listLines(pool, id, {}, after, CHECKED_AT_ONCE)
    const last = rows.at(-1)
    if (last === undefined) return null
    const facts = await factsFor(
      id,
      rows.map(({ content }) => content),
      true,
    )
    const planned = rows.map(({ content }) => planLine(content, facts, { update: updates }))
    await pool.query(
      `update work.import_line l set action = p.action, changes = p.changes, message = p.message
       from unnest($2::int[], $3::text[], $4::jsonb[], $5::text[]) as p (number, action, changes, message)
       where l.import_id = $1 and l.number = p.number`,
      [
        id,
        rows.map(({ number }) => number),
        planned.map(({ action }) => action),
        planned.map(({ changes }) => JSON.stringify(changes)),
        planned.map(({ message }) => message ?? null),
      ],
    )
    return last.number
  }

  const makeLine = async (
    line: ImportLine,
    { action, changes }: Planned,
    facts: ImportFacts,
    { invites, actor, by }: { invites: boolean; actor: Actor; by: readonly Role[] },
  ): Promise<void> => {
    const fields = Object.fromEntries(changes.map(({ field, to }) => [field, to]))
    switch (line.kind) {
      case 'group':
        if (action === 'create') await groups.create({ name: line.name, ...fields, source: 'local' }, actor)
        else await groups.update(facts.group(line.name)?.id ?? '', fields, undefined, actor)
        return
      case 'user':
        if (action === 'create')
          await users.invite({ profile: line.profile as Profile, source: 'import' }, actor, invites)
        else await users.update(facts.user(line.profile.email ?? '')?.id ?? '', fields, by, actor)
        return
      case 'manager': {
        const [userId = '', managerId] = [facts.user(line.email)?.id, facts.user(line.manager)?.id]
        await mustBeManager(pool, managerId, userId)
        await users.update(userId, { managerId }, by, actor)
        return
      }
      case 'member':
        await groups.addMember(
          facts.group(line.group)?.id ?? '',
          facts.user(line.email)?.id ?? '',
          undefined,
          actor,
        )
    }
  }

  const store = (id: string, outcomes: readonly Outcome[]) =>
    pool.query(
      `update work.import_line l set result = p.result, message = p.message
       from unnest($2::int[], $3::text[], $4::text[]) as p (number, result, message)
       where l.import_id = $1 and l.number = p.number`,
      [
        id,
        outcomes.map(({ number }) => number),
        outcomes.map(({ result }) => result),
        outcomes.map(({ message }) => message),
      ],
    )

  /** @returns the number of the last line that was made; null if there are no more */
  const make = async (row: ImportRow, by: readonly Role[], after: number): Promise<number | null> => {
    const { id, updates, invites } = row
    const candidates = await linesToMake(pool, id, after, MADE_AT_ONCE)
    // A user line may need the group before it, and so on: one batch has one kind.
    const kind = candidates[0]?.content.kind
    const rows = candidates.filter(({ content }) => content.kind === kind)
    const last = rows.at(-1)
    if (last === undefined) return null
    const actor = row.actor as unknown as Actor
    const facts = await factsFor(
      id,
      rows.map(({ content }) => content),
      false,
    )
    const makeOne = async ({ number, content }: ImportLineRow): Promise<Outcome> => {
      const planned = planLine(content, facts, { update: updates })
      if (planned.action === 'error' || planned.action === 'skip')
        return { number, result: 'failed', message: planned.message ?? null }
      if (planned.action === 'none') return { number, result: 'done', message: null }
      try {
        const own = { ...actor, idempotencyKey: `${id}:${String(number)}` }
        await makeLine(content, planned, facts, { invites: invites === true, actor: own, by })
        return { number, result: 'done', message: null }
      } catch (error) {
        if (!(error instanceof DomainError) || error.code === 'ERR_UNAVAILABLE') throw error
        return { number, result: 'failed', message: error.message }
      }
    }
    for (let from = 0; from < rows.length; from += LANES)
      await store(id, await Promise.all(rows.slice(from, from + LANES).map(makeOne)))
    return last.number
  }

  /** The roles with which the import was started, as far as whoever started it still has them. */
  const rolesNow = async ({ actor, roles: had }: ImportRow): Promise<readonly Role[]> => {
    const actorId = actor?.['actorId']
    const roles = typeof actorId === 'string' ? await rolesOf(pool, actorId) : []
    return roles.filter((role) => had?.includes(role) === true)
  }

  return {
    /**
     * Works on the oldest unfinished import for some seconds.
     * @param signal stops it after the lines in progress; another instance continues
     */
    work: async (signal: AbortSignal): Promise<void> => {
      const row = await takeImport(pool, clock.now(), clock.in(LEASE_SECONDS))
      if (row === null) return
      const end = performance.now() + STEP_MS
      let after = row.reached
      while (performance.now() < end && !signal.aborted) {
        const by = row.status === 'running' ? await rolesNow(row) : []
        if (row.status === 'running' && !by.includes('global_admin') && !by.includes('user_admin')) {
          await finish(row, 'failed')
          return
        }
        const next = row.status === 'checking' ? await check(row, after) : await make(row, by, after)
        if (next === null) {
          const checked = row.status === 'checking' ? ((await hasAllLines(row)) ? 'ready' : 'failed') : 'done'
          await finish(row, checked)
          return
        }
        if (!(await reached(row, next))) return
        after = next
      }
      await pool.query('update work.import set leased_until = null where id = $1 and status = $2', [
        row.id,
        row.status,
      ])
    },
  }
}
