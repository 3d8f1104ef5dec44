import { refuse } from '../decider.ts'
import type { ApplicationEvent } from './events.ts'

/** Scopes of one API resource that an application can request. */
export interface ApiGrant {
  readonly apiResourceId: string
  readonly grantId: string
  readonly scopes: readonly string[]
}

/** Returns the stored form of scopes, so that equal grants have equal lists. */
const sorted = (scopes: readonly string[]): readonly string[] => [...scopes].sort()

const scopesProblem = (scopes: readonly string[], field: string): ReturnType<typeof refuse> | null => {
  if (scopes.length === 0) return refuse('ERR_INVALID', 'scopes: expected at least one scope', field)
  const twice = scopes.findIndex((scope, index) => scopes.indexOf(scope) !== index)
  return twice === -1
    ? null
    : refuse('ERR_INVALID', 'scopes: expected each scope once', `${field}/${String(twice)}`)
}

/** What is invalid about one grant, independent of the API resource; null if it is valid. */
export const apiGrantProblem = ({ scopes }: ApiGrant): ReturnType<typeof refuse> | null =>
  scopesProblem(scopes, '/scopes')

/** What is invalid about a list of grants. */
export const apiGrantsProblem = (grants: readonly ApiGrant[]): ReturnType<typeof refuse> | null => {
  for (const [index, { apiResourceId, scopes }] of grants.entries()) {
    if (grants.findIndex((grant) => grant.apiResourceId === apiResourceId) !== index)
      return refuse(
        'ERR_INVALID',
        'apiGrants: expected each API resource once',
        `/apiGrants/${String(index)}/apiResourceId`,
      )
    const problem = scopesProblem(scopes, `/apiGrants/${String(index)}/scopes`)
    if (problem !== null) return problem
  }
  return null
}

/** Replaces the granted scopes. An existing grant keeps its id. */
export const apiGrantEvents = (
  applicationId: string,
  wanted: readonly ApiGrant[],
  current: readonly ApiGrant[],
): readonly ApplicationEvent[] =>
  wanted.flatMap(({ apiResourceId, grantId, scopes }): ApplicationEvent[] => {
    const before = current.find((grant) => grant.apiResourceId === apiResourceId)
    const after = sorted(scopes)
    if (before === undefined)
      return [
        { type: 'application.api_granted', data: { applicationId, apiResourceId, grantId, scopes: after } },
      ]
    if (before.scopes.join(' ') === after.join(' ')) return []
    return [
      {
        type: 'application.api_granted',
        data: {
          applicationId,
          apiResourceId,
          grantId: before.grantId,
          scopes: after,
          previousScopes: before.scopes,
        },
      },
    ]
  })

export const withdrawnEvents = (
  applicationId: string,
  gone: readonly ApiGrant[],
): readonly ApplicationEvent[] =>
  gone.map(({ apiResourceId, grantId, scopes }) => ({
    type: 'application.api_grant_withdrawn',
    data: { applicationId, apiResourceId, grantId, previousScopes: scopes },
  }))

/** The grants after one of them was added or changed. */
export const withApiGrant = (grants: readonly ApiGrant[], grant: ApiGrant): readonly ApiGrant[] =>
  grants.some(({ apiResourceId }) => apiResourceId === grant.apiResourceId)
    ? grants.map((old) => (old.apiResourceId === grant.apiResourceId ? grant : old))
    : [...grants, grant]

export const withoutApiGrant = (grants: readonly ApiGrant[], apiResourceId: string): readonly ApiGrant[] =>
  grants.filter((grant) => grant.apiResourceId !== apiResourceId)
