import type pg from 'pg'
import type { ReviewStage } from '../../../domain/access-review/events.ts'
import { DomainError } from '../../../domain/errors.ts'
import { scopesOffered } from '../../../read-models/queries/api-resources.ts'
import { missingApplications, missingGroups, missingUsers } from '../../../read-models/queries/existence.ts'

/** Changes of administrators are decided one at a time, so that the last administrator cannot be lost. */
export const ADMINISTRATORS = 'administrators'

/** Locked while groups are assigned or mapped and while a group is deleted, so that nothing refers to a deleted group. */
export const GROUP_USE = 'group-use'

/**
 * Locked while a policy is created or changed, and while a network zone is created or deleted, so that each change
 * sees the others.
 */
export const POLICY_USE = 'policy-use'

/**
 * Locked while scopes are granted, and while a scope or its API resource is deleted, so that no grant outlives its
 * scope.
 */
export const API_RESOURCE_USE = 'api-resource-use'

/**
 * Locked while an identity provider or a domain is changed, so that each domain belongs to one provider, and no
 * provider refers to a domain that was removed.
 */
export const PROVIDER_USE = 'identity-provider-use'

/** Locked while an application's logo is changed, and while the application is deleted, so that no logo outlives it. */
export const applicationUse = (applicationId: string): string => `application:${applicationId}`

/** Locked while an account gets a key, changes roles or is deleted, so that each change sees the others. */
export const accountUse = (serviceAccountId: string): string => `service-account:${serviceAccountId}`

const refuseFirst = (
  missing: readonly string[],
  ids: readonly string[],
  name: string,
  what: string,
): void => {
  const [first] = missing
  if (first === undefined) return
  const message = `${name}: expected ${what}, but ${first} does not exist`
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

/** @throws DomainError ERR_INVALID naming the first id in the field that does not exist */
export const mustBeGroups = async (
  pool: pg.Pool,
  ids: readonly string[],
  field = 'groupIds',
): Promise<void> => {
  refuseFirst(await missingGroups(pool, ids), ids, field, 'ids of existing groups')
}

/** @throws DomainError ERR_INVALID naming the field */
export const mustBeGroup = async (pool: pg.Pool, id: string, field: string): Promise<void> => {
  if ((await missingGroups(pool, [id])).length > 0)
    throw new DomainError(
      'ERR_INVALID',
      `${field}: expected the id of an existing group, but ${id} does not exist`,
      `/${field}`,
    )
}

/**
 * @param field JSON pointer without its first slash
 * @throws DomainError ERR_INVALID naming the first reviewer that does not exist
 */
export const mustBeReviewers = async (
  pool: pg.Pool,
  { type, ids, fallbackIds }: ReviewStage,
  field: string,
): Promise<void> => {
  if (type === 'groups') await mustBeGroups(pool, ids, `${field}/ids`)
  const users = 'ids of existing users'
  if (type === 'users') refuseFirst(await missingUsers(pool, ids), ids, `${field}/ids`, users)
  refuseFirst(await missingUsers(pool, fallbackIds), fallbackIds, `${field}/fallbackIds`, users)
}

/** @throws DomainError ERR_INVALID naming the first id in `ownerIds` that does not exist */
export const mustBeOwners = async (pool: pg.Pool, ids: readonly string[]): Promise<void> => {
  refuseFirst(await missingUsers(pool, ids), ids, 'ownerIds', 'ids of existing users')
}

/** @throws DomainError ERR_INVALID naming the first id in `ownerApplicationIds` that does not exist */
export const mustBeOwnerApplications = async (pool: pg.Pool, ids: readonly string[]): Promise<void> => {
  const missing = await missingApplications(pool, ids)
  refuseFirst(missing, ids, 'ownerApplicationIds', 'ids of existing applications')
}

/** @throws DomainError ERR_NOT_FOUND */
export const mustBeApplication = async (pool: pg.Pool, id: string): Promise<void> => {
  if ((await missingApplications(pool, [id])).length > 0)
    throw new DomainError('ERR_NOT_FOUND', 'This application does not exist.')
}

/** @throws DomainError ERR_NOT_FOUND for an unknown API resource, ERR_INVALID naming a scope that it does not have */
export const mustBeOffered = async (
  pool: pg.Pool,
  apiResourceId: string,
  scopes: readonly string[],
): Promise<void> => {
  const offered = (await scopesOffered(pool, [apiResourceId])).get(apiResourceId)
  if (offered === undefined) throw new DomainError('ERR_NOT_FOUND', 'This API resource does not exist.')
  refuseUnoffered(scopes, offered, '/scopes')
}

/** @throws DomainError ERR_INVALID naming the first grant in `apiGrants` whose resource does not exist */
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
        `apiGrants: expected ids of existing API resources, but ${apiResourceId} does not exist`,
        `${field}/apiResourceId`,
      )
    refuseUnoffered(scopes, offered, `${field}/scopes`)
  }
}

/** @throws DomainError ERR_INVALID if the user does not exist, or is the user itself */
export const mustBeManager = async (pool: pg.Pool, managerId: unknown, userId?: string): Promise<void> => {
  if (typeof managerId !== 'string') return
  if (managerId === userId)
    throw new DomainError('ERR_INVALID', 'managerId: must not be the user itself', '/managerId')
  if ((await missingUsers(pool, [managerId])).length > 0)
    throw new DomainError('ERR_INVALID', 'managerId: expected the id of an existing user', '/managerId')
}
