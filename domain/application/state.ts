import { applyChanges } from '../changes.ts'
import type { Instant } from '../time.ts'
import { withApiGrant, withoutApiGrant, type ApiGrant } from './api-grants.ts'
import type {
  ApplicationEvent,
  ApplicationFields,
  OidcApplicationType,
  OidcSettings,
  SamlSettings,
} from './events.ts'
import { oidcDefaults } from './oidc-settings.ts'

export interface Secret {
  readonly secretId: string
  readonly expiresAt: Instant | null
}

interface AnyApplicationState {
  readonly status: 'none' | 'active' | 'disabled' | 'deleted'
  readonly builtIn: boolean
  readonly groupIds: readonly string[]
  readonly apiGrants: readonly ApiGrant[]
  readonly secrets: readonly Secret[]
}

export interface OidcApplicationState extends AnyApplicationState {
  readonly protocol: 'oidc'
  readonly applicationType: OidcApplicationType
  readonly settings: ApplicationFields & OidcSettings
}

export interface SamlApplicationState extends AnyApplicationState {
  readonly protocol: 'saml'
  readonly settings: ApplicationFields
  readonly saml: SamlSettings
}

export type ApplicationState = OidcApplicationState | SamlApplicationState

export const initial: ApplicationState = {
  status: 'none',
  protocol: 'oidc',
  applicationType: 'web',
  builtIn: false,
  settings: { name: '', ...oidcDefaults },
  groupIds: [],
  apiGrants: [],
  secrets: [],
}

const created = (
  { groupIds, apiGrants, secrets }: ApplicationState,
  data: Extract<ApplicationEvent, { type: 'application.created' }>['data'],
): ApplicationState => {
  const common = { status: 'active' as const, builtIn: data.builtIn, groupIds, apiGrants, secrets }
  return data.protocol === 'saml'
    ? { ...common, protocol: 'saml', settings: data.fields, saml: data.saml }
    : {
        ...common,
        protocol: 'oidc',
        applicationType: data.applicationType,
        settings: { ...data.fields, ...data.oidc },
      }
}

export const evolve = (state: ApplicationState, { type, data }: ApplicationEvent): ApplicationState => {
  switch (type) {
    case 'application.created':
      return created(state, data)
    case 'application.updated':
      return state.protocol === 'oidc'
        ? { ...state, settings: applyChanges(state.settings, data.changes) }
        : { ...state, settings: applyChanges(state.settings, data.changes) }
    case 'application.saml_updated':
      return state.protocol === 'saml' ? { ...state, saml: applyChanges(state.saml, data.changes) } : state
    case 'application.group_assigned':
      return { ...state, groupIds: [...state.groupIds, data.groupId] }
    case 'application.group_unassigned':
      return { ...state, groupIds: state.groupIds.filter((id) => id !== data.groupId) }
    case 'application.api_granted': {
      const { apiResourceId, grantId, scopes } = data
      return { ...state, apiGrants: withApiGrant(state.apiGrants, { apiResourceId, grantId, scopes }) }
    }
    case 'application.api_grant_withdrawn':
      return { ...state, apiGrants: withoutApiGrant(state.apiGrants, data.apiResourceId) }
    case 'application.secret_created':
      return {
        ...state,
        secrets: [...state.secrets, { secretId: data.secretId, expiresAt: data.expiresAt ?? null }],
      }
    case 'application.secret_expiry_changed':
      return {
        ...state,
        secrets: state.secrets.map((s) =>
          s.secretId === data.secretId ? { ...s, expiresAt: data.expiresAt } : s,
        ),
      }
    case 'application.secret_revoked':
      return { ...state, secrets: state.secrets.filter((s) => s.secretId !== data.secretId) }
    case 'application.disabled':
      return { ...state, status: 'disabled' }
    case 'application.enabled':
      return { ...state, status: 'active' }
    case 'application.deleted':
      return { ...state, status: 'deleted', groupIds: [], apiGrants: [], secrets: [] }
  }
}
