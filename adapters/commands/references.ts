import type pg from 'pg'
import { DomainError } from '../../domain/errors.ts'
import { missingGroups, missingUsers } from '../../read-models/queries/existence.ts'

/** Held while groups are assigned, and while one is deleted, so that no assignment names a group that is gone. */
export const GROUP_USE = 'group-use'

const refuseFirst = (
  missing: readonly string[],
  ids: readonly string[],
  name: string,
  what: string,
): void => {
  const [first] = missing
  if (first === undefined) return
  const message = `${name}: expected ${what}, but there is no ${first}`
  throw new DomainError('ERR_INVALID', message, `/${name}/${String(ids.indexOf(first))}`)
}

/** @throws DomainError ERR_INVALID naming the first of the field `groupIds` that does not exist */
export const mustBeGroups = async (pool: pg.Pool, ids: readonly string[]): Promise<void> => {
  refuseFirst(await missingGroups(pool, ids), ids, 'groupIds', 'ids of existing groups')
}

/** @throws DomainError ERR_INVALID naming the first of the field `ownerIds` that does not exist */
export const mustBeOwners = async (pool: pg.Pool, ids: readonly string[]): Promise<void> => {
  refuseFirst(await missingUsers(pool, ids), ids, 'ownerIds', 'ids of existing people')
}

/** @throws DomainError ERR_INVALID when nobody has the id, or it is the person's own */
export const mustBeManager = async (pool: pg.Pool, managerId: unknown, userId?: string): Promise<void> => {
  if (typeof managerId !== 'string') return
  if (managerId === userId)
    throw new DomainError('ERR_INVALID', 'managerId: expected the id of another person', '/managerId')
  if ((await missingUsers(pool, [managerId])).length > 0)
    throw new DomainError('ERR_INVALID', 'managerId: expected the id of an existing person', '/managerId')
}
