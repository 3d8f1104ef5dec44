import type pg from 'pg'
import { DomainError } from '../../../domain/errors.ts'
import { scopesOffered } from '../../../read-models/queries/api-resources.ts'
import { missingApplications, missingGroups, missingUsers } from '../../../read-models/queries/existence.ts'

/** Held while groups are assigned, and while one is deleted, so that no assignment names a group that is gone. */
export const GROUP_USE = 'group-use'

/** Held while scopes are granted, and while one or its API resource is removed, so that no grant outlives what it is of. */
export const API_RESOURCE_USE = 'api-resource-use'

/** Held while an account is given a key, another set of roles or its end, so that each knows of the others. */
export const accountUse = (serviceAccountId: string): string => `service-account:${serviceAccountId}`

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

const refuseUnoffered = (scopes: readonly string[], offered: readonly string[], field: string): void => {
  for (const [index, scope] of scopes.entries())
    if (!offered.includes(scope))
      throw new DomainError(
        'ERR_INVALID',
        `scopes: expected scopes of the API resource (${offered.join(', ')}), got ${scope}`,
        `${field}/${String(index)}`,
      )
}

/** @throws DomainError ERR_INVALID naming the first of the field that does not exist */
export const mustBeGroups = async (
  pool: pg.Pool,
  ids: readonly string[],
  field = 'groupIds',
): Promise<void> => {
  refuseFirst(await missingGroups(pool, ids), ids, field, 'ids of existing groups')
}

/** @throws DomainError ERR_INVALID naming the first of the field `ownerIds` that does not exist */
export const mustBeOwners = async (pool: pg.Pool, ids: readonly string[]): Promise<void> => {
  refuseFirst(await missingUsers(pool, ids), ids, 'ownerIds', 'ids of existing people')
}

/** @throws DomainError ERR_INVALID naming the first of the field `ownerApplicationIds` that does not exist */
export const mustBeOwnerApplications = async (pool: pg.Pool, ids: readonly string[]): Promise<void> => {
  const missing = await missingApplications(pool, ids)
  refuseFirst(missing, ids, 'ownerApplicationIds', 'ids of existing applications')
}

/** @throws DomainError ERR_NOT_FOUND */
export const mustBeApplication = async (pool: pg.Pool, id: string): Promise<void> => {
  if ((await missingApplications(pool, [id])).length > 0)
    throw new DomainError('ERR_NOT_FOUND', 'There is no such application.')
}

/** @throws DomainError ERR_NOT_FOUND for an unknown API resource, ERR_INVALID naming a scope that it does not have */
export const mustBeOffered = async (
  pool: pg.Pool,
  apiResourceId: string,
  scopes: readonly string[],
): Promise<void> => {
  const offered = (await scopesOffered(pool, [apiResourceId])).get(apiResourceId)
  if (offered === undefined) throw new DomainError('ERR_NOT_FOUND', 'There is no such API resource.')
  refuseUnoffered(scopes, offered, '/scopes')
}

/** @throws DomainError ERR_INVALID naming the first of the field `apiGrants` that is of nothing */
export const mustBeGrantable = async (
  pool: pg.Pool,
  grants: readonly { readonly apiResourceId: string; readonly scopes: readonly string[] }[],
): Promise<void> => {
  const known = await scopesOffered(
    pool,
    grants.map(({ apiResourceId }) => apiResourceId),
  )
  for (const [index, { apiResourceId, scopes }] of grants.entries()) {
    const offered = known.get(apiResourceId)
    const field = `/apiGrants/${String(index)}`
    if (offered === undefined)
      throw new DomainError(
        'ERR_INVALID',
        `apiGrants: expected ids of existing API resources, but there is no ${apiResourceId}`,
        `${field}/apiResourceId`,
      )
    refuseUnoffered(scopes, offered, `${field}/scopes`)
  }
}

/** @throws DomainError ERR_INVALID when nobody has the id, or it is the person's own */
export const mustBeManager = async (pool: pg.Pool, managerId: unknown, userId?: string): Promise<void> => {
  if (typeof managerId !== 'string') return
  if (managerId === userId)
    throw new DomainError('ERR_INVALID', 'managerId: expected the id of another person', '/managerId')
  if ((await missingUsers(pool, [managerId])).length > 0)
    throw new DomainError('ERR_INVALID', 'managerId: expected the id of an existing person', '/managerId')
}
