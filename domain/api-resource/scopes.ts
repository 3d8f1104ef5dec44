import { refuse } from '../decider.ts'
import type { ApiResourceEvent, ApiScope } from './events.ts'

/** Scopes with a meaning for this service itself. */
const reserved = [
  ...['openid', 'profile', 'email', 'address', 'phone', 'offline_access', 'groups'],
  ...['admin', 'api', 'scim'],
]

const NAME = '[a-z0-9][a-z0-9_.:-]{0,99}'

/** Regular expression source for names of scopes, anchored. */
export const SCOPE_NAME = `^${NAME}$`

/** The same for scopes of an API resource. */
export const NEW_SCOPE_NAME = `^(?!(?:${reserved.join('|')})$)${NAME}$`

const nameProblem = (name: string, before: readonly ApiScope[]): string | null => {
  if (!new RegExp(SCOPE_NAME).test(name))
    return 'expected 1 to 100 of a-z, 0-9, _ . : - with a letter or digit first'
  if (reserved.includes(name)) return `expected another name: ${name} is a reserved scope of this service`
  return before.some((scope) => scope.name === name) ? `expected each scope once, got ${name} twice` : null
}

/** What is wrong with the scopes of a resource; null if they are valid. */
export const scopesProblem = (scopes: readonly ApiScope[]): ReturnType<typeof refuse> | null => {
  for (const [index, { name }] of scopes.entries()) {
    const problem = nameProblem(name, scopes.slice(0, index))
    if (problem !== null) return refuse('ERR_INVALID', `scopes: ${problem}`, `/scopes/${String(index)}/name`)
  }
  return null
}

export const missingScopes = (wanted: readonly ApiScope[], among: readonly ApiScope[]): readonly ApiScope[] =>
  wanted.filter(({ name }) => !among.some((scope) => scope.name === name))

/** The changes that turn the current scopes into the wanted ones. Order is irrelevant. */
export const scopeEvents = (
  apiResourceId: string,
  wanted: readonly ApiScope[],
  current: readonly ApiScope[],
): readonly ApiResourceEvent[] => [
  ...missingScopes(wanted, current).map((scope): ApiResourceEvent => ({
    type: 'api_resource.scope_added',
    data: { apiResourceId, scope },
  })),
  ...current.flatMap(({ name, description: from = null }): ApiResourceEvent[] => {
    const after = wanted.find((scope) => scope.name === name)
    const to = after?.description ?? null
    return after === undefined || from === to
      ? []
      : [{ type: 'api_resource.scope_described', data: { apiResourceId, name, from, to } }]
  }),
  ...missingScopes(current, wanted).map(({ name }): ApiResourceEvent => ({
    type: 'api_resource.scope_removed',
    data: { apiResourceId, name },
  })),
]

/** A scope in its new form, at its old position. */
export const describeScope = (
  scopes: readonly ApiScope[],
  name: string,
  description: string | null,
): readonly ApiScope[] =>
  scopes.map((scope) =>
    scope.name === name ? { name, ...(description === null ? {} : { description }) } : scope,
  )
