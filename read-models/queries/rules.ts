import type pg from 'pg'
import type { GroupRule, RuleSubject } from '../../domain/group/rule.ts'

export interface RuleGroup {
  readonly id: string
  readonly rule: GroupRule
}

export interface RuleCandidate extends RuleSubject {
  readonly id: string
  /** Active or invited: other users have no memberships by rule */
  readonly eligible: boolean
}

/** Returns every group that has a rule. */
export const ruleGroups = async (pool: pg.Pool): Promise<readonly RuleGroup[]> => {
  const { rows } = await pool.query<RuleGroup>(
    `select id, rule from groups where rule is not null and status = 'exists' order by id`,
  )
  return rows
}

interface CandidateRow {
  readonly id: string
  readonly status: string
  readonly email: string
  readonly department: string | null
  readonly title: string | null
  readonly location: string | null
  readonly manager_id: string | null
  readonly employee_id: string | null
  readonly custom: Readonly<Record<string, string>>
}

const columns = 'id, status, email, department, title, location, manager_id, employee_id, custom'

const candidate = (row: CandidateRow): RuleCandidate => ({
  id: row.id,
  eligible: row.status === 'active' || row.status === 'invited',
  kind: 'person',
  email: row.email,
  ...(row.department === null ? {} : { department: row.department }),
  ...(row.title === null ? {} : { title: row.title }),
  ...(row.location === null ? {} : { location: row.location }),
  ...(row.manager_id === null ? {} : { managerId: row.manager_id }),
  ...(row.employee_id === null ? {} : { employeeId: row.employee_id }),
  custom: row.custom,
})

/** Returns these users, if they still exist. */
export const ruleCandidates = async (
  pool: pg.Pool,
  ids: readonly string[],
): Promise<readonly RuleCandidate[]> => {
  const { rows } = await pool.query<CandidateRow>(
    `select ${columns} from users where id = any($1) and status <> 'deleted'`,
    [ids],
  )
  return rows.map(candidate)
}

/** Returns pages of users, ordered by id. */
export const ruleCandidatesAfter = async (
  pool: pg.Pool,
  after: string,
  limit: number,
): Promise<readonly RuleCandidate[]> => {
  const { rows } = await pool.query<CandidateRow>(
    `select ${columns} from users where id > $1 and status <> 'deleted' order by id limit $2`,
    [after, limit],
  )
  return rows.map(candidate)
}

/** Returns the current memberships by rule of some users, in any group. */
export const ruleMembershipsOf = async (
  pool: pg.Pool,
  userIds: readonly string[],
): Promise<readonly { readonly groupId: string; readonly userId: string }[]> => {
  const { rows } = await pool.query<{ groupId: string; userId: string }>(
    `select group_id as "groupId", user_id as "userId" from memberships
     where user_id = any($1) and via = 'rule' and to_position is null`,
    [userIds],
  )
  return rows
}
