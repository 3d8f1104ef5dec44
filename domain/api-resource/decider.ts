import { applyChanges, changesOf } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { ApiResourceEvent, ApiScope } from './events.ts'
import { identifierProblem } from './identifier.ts'
import { describeScope, missingScopes, scopeEvents, scopesProblem } from './scopes.ts'

interface ApiResourceFields {
  readonly name: string
  readonly description?: string
  readonly accessTokenLifetimeSeconds?: number
  readonly ownerApplicationIds: readonly string[]
}

/** An application, by name, and the scopes of the resource that it can request. */
export interface GrantedTo {
  readonly application: string
  readonly scopes: readonly string[]
}

export interface ApiResourceState {
  readonly status: 'none' | 'exists' | 'deleted'
  readonly identifier: string
  readonly fields: ApiResourceFields
  readonly scopes: readonly ApiScope[]
}

export type ApiResourceCommand =
  | {
      type: 'create'
      apiResourceId: string
      identifier: string
      fields: ApiResourceFields
      scopes: readonly ApiScope[]
    }
  | {
      type: 'update'
      apiResourceId: string
      fields: Readonly<Record<string, unknown>>
      /** The complete list. Omitted: the scopes do not change. */
      scopes?: readonly ApiScope[]
      /** Checked only for removed scopes. */
      granted: readonly GrantedTo[]
    }
  | { type: 'delete'; apiResourceId: string; granted: readonly GrantedTo[] }

const initial: ApiResourceState = {
  status: 'none',
  identifier: '',
  fields: { name: '', ownerApplicationIds: [] },
  scopes: [],
}

const evolve = (state: ApiResourceState, { type, data }: ApiResourceEvent): ApiResourceState => {
  switch (type) {
    case 'api_resource.created': {
      const { apiResourceId: _, identifier, scopes, ...fields } = data
      return { status: 'exists', identifier, fields, scopes }
    }
    case 'api_resource.updated':
      return { ...state, fields: applyChanges(state.fields, data.changes) }
    case 'api_resource.scope_added':
      return { ...state, scopes: [...state.scopes, data.scope] }
    case 'api_resource.scope_described':
      return { ...state, scopes: describeScope(state.scopes, data.name, data.to) }
    case 'api_resource.scope_removed':
      return { ...state, scopes: state.scopes.filter(({ name }) => name !== data.name) }
    case 'api_resource.deleted':
      return { ...state, status: 'deleted', scopes: [] }
  }
}

const update = (
  { apiResourceId, fields, scopes, granted }: Extract<ApiResourceCommand, { type: 'update' }>,
  state: ApiResourceState,
): Decision<ApiResourceEvent> => {
  const wanted = scopes ?? state.scopes
  const problem = scopesProblem(wanted)
  if (problem !== null) return problem
  for (const { name } of missingScopes(state.scopes, wanted)) {
    const holders = granted.filter((grant) => grant.scopes.includes(name))
    if (holders.length > 0)
      return refuse(
        'ERR_CONFLICT',
        `The scope ${name} is still granted to ${holders.map(({ application }) => application).join(', ')}.`,
        '/scopes',
      )
  }
  const changes = changesOf(state.fields, fields)
  return accept<ApiResourceEvent>(
    ...(changes.length === 0
      ? []
      : [{ type: 'api_resource.updated' as const, data: { apiResourceId, changes } }]),
    ...scopeEvents(apiResourceId, wanted, state.scopes),
  )
}

const decide = (command: ApiResourceCommand, state: ApiResourceState): Decision<ApiResourceEvent> => {
  const { apiResourceId } = command
  if (command.type === 'create') {
    const { identifier, fields, scopes } = command
    if (state.status !== 'none') return refuse('ERR_CONFLICT')
    const problem = identifierProblem(identifier)
    if (problem !== null) return refuse('ERR_INVALID', `identifier: ${problem}`, '/identifier')
    return (
      scopesProblem(scopes) ??
      accept({ type: 'api_resource.created', data: { apiResourceId, identifier, ...fields, scopes } })
    )
  }
  if (state.status !== 'exists') return refuse('ERR_NOT_FOUND')
  if (command.type === 'update') return update(command, state)
  return command.granted.length === 0
    ? accept({ type: 'api_resource.deleted', data: { apiResourceId } })
    : refuse(
        'ERR_CONFLICT',
        `This API resource is still granted to ${command.granted.map(({ application }) => application).join(', ')}.`,
      )
}

export const apiResourceDecider: Decider<ApiResourceState, ApiResourceCommand, ApiResourceEvent> = {
  initial,
  evolve,
  decide,
}

export const apiResourceStream = (apiResourceId: string): string => `api_resource-${apiResourceId}`
