import { applyChanges, changesOf } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { Instant } from '../time.ts'
import {
  grantEvents,
  grantProblem,
  grantsProblem,
  withdrawnEvents,
  withGrant,
  withoutGrant,
  type ApiGrant,
} from './api-grants.ts'
import type { ApplicationEvent, ApplicationFields, OidcApplicationType, OidcSettings } from './events.ts'
import { grantTypesOf, isConfidential } from './grant-types.ts'
import { redirectUriProblem } from './redirect-uri.ts'

interface Secret {
  readonly secretId: string
  readonly expiresAt: Instant | null
}

export interface ApplicationState {
  readonly status: 'none' | 'active' | 'disabled' | 'deleted'
  readonly applicationType: OidcApplicationType
  readonly builtIn: boolean
  readonly settings: ApplicationFields & OidcSettings
  readonly groupIds: readonly string[]
  readonly apiGrants: readonly ApiGrant[]
  readonly secrets: readonly Secret[]
}

interface NewSecret {
  readonly secretId: string
  readonly prefix: string
  readonly hash: string
  readonly expiresAt?: Instant
}

export type ApplicationCommand =
  | {
      type: 'create'
      applicationId: string
      applicationType: OidcApplicationType
      clientId: string
      builtIn: boolean
      settings: Partial<OidcSettings> & Partial<ApplicationFields> & { readonly name: string }
      groupIds: readonly string[]
      secret?: NewSecret
    }
  | {
      type: 'update'
      applicationId: string
      settings: Readonly<Record<string, unknown>>
      /** Left out: the groups stay as they are. */
      groupIds?: readonly string[]
    }
  | { type: 'set_groups'; applicationId: string; groupIds: readonly string[] }
  | { type: 'assign_group'; applicationId: string; groupId: string }
  | { type: 'unassign_group'; applicationId: string; groupId: string }
  /** `grant.grantId` is for a grant that is not there yet. */
  | { type: 'set_api_grant'; applicationId: string; grant: ApiGrant }
  | { type: 'remove_api_grant'; applicationId: string; apiResourceId: string }
  | { type: 'set_api_grants'; applicationId: string; grants: readonly ApiGrant[] }
  | { type: 'create_secret'; applicationId: string; secret: NewSecret; now: Instant }
  /** The new secret counts at once, the others until `oldExpiresAt`. */
  | { type: 'rotate_secret'; applicationId: string; secret: NewSecret; now: Instant; oldExpiresAt: Instant }
  | { type: 'revoke_secret'; applicationId: string; secretId: string }
  | { type: 'disable'; applicationId: string }
  | { type: 'enable'; applicationId: string }
  | { type: 'delete'; applicationId: string }

export const MAX_ACTIVE_SECRETS = 2

const defaults: Omit<OidcSettings & ApplicationFields, 'name'> = {
  visibleInPortal: true,
  redirectUris: [],
  postLogoutRedirectUris: [],
  allowedOrigins: [],
  idTokenLifetimeSeconds: 900,
  accessTokenLifetimeSeconds: 900,
  refreshTokenLifetimeSeconds: 28_800,
  refreshTokenRotation: true,
  refreshTokenGraceSeconds: 0,
  requirePkce: true,
}

const initial: ApplicationState = {
  status: 'none',
  applicationType: 'web',
  builtIn: false,
  settings: { name: '', ...defaults },
  groupIds: [],
  apiGrants: [],
  secrets: [],
}

const evolve = (state: ApplicationState, { type, data }: ApplicationEvent): ApplicationState => {
  switch (type) {
    case 'application.created':
      return {
        ...state,
        status: 'active',
        applicationType: data.applicationType,
        builtIn: data.builtIn,
        settings: { ...data.fields, ...data.oidc },
      }
    case 'application.updated':
      return { ...state, settings: applyChanges(state.settings, data.changes) }
    case 'application.group_assigned':
      return { ...state, groupIds: [...state.groupIds, data.groupId] }
    case 'application.group_unassigned':
      return { ...state, groupIds: state.groupIds.filter((id) => id !== data.groupId) }
    case 'application.api_granted': {
      const { apiResourceId, grantId, scopes } = data
      return { ...state, apiGrants: withGrant(state.apiGrants, { apiResourceId, grantId, scopes }) }
    }
    case 'application.api_grant_withdrawn':
      return { ...state, apiGrants: withoutGrant(state.apiGrants, data.apiResourceId) }
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

const needsRedirectUris = (type: OidcApplicationType): boolean =>
  grantTypesOf(type).includes('authorization_code')

const isOrigin = (text: string): boolean =>
  redirectUriProblem(text, 'web') === null && new URL(text).origin === text

/** What no JSON schema says: rules that hang on the application's type. */
const settingsProblem = (
  type: OidcApplicationType,
  settings: OidcSettings & ApplicationFields,
): { message: string; field: string } | null => {
  const { redirectUris, postLogoutRedirectUris, allowedOrigins, requirePkce } = settings
  if (needsRedirectUris(type) && redirectUris.length === 0)
    return {
      message: 'redirectUris: expected at least one address for this type of application',
      field: '/redirectUris',
    }
  if (!needsRedirectUris(type) && redirectUris.length > 0)
    return {
      message: `redirectUris: expected none for an application of type ${type}`,
      field: '/redirectUris',
    }
  for (const [name, list] of Object.entries({ redirectUris, postLogoutRedirectUris })) {
    if (new Set(list).size !== list.length)
      return { message: `${name}: expected each address once`, field: `/${name}` }
    for (const [index, uri] of list.entries()) {
      const problem = redirectUriProblem(uri, type)
      if (problem !== null)
        return {
          message: `${name}: ${problem}, got ${uri.slice(0, 200)}`,
          field: `/${name}/${String(index)}`,
        }
    }
  }
  for (const [index, origin] of allowedOrigins.entries())
    if (!isOrigin(origin))
      return {
        message: 'allowedOrigins: expected an origin such as https://app.example.com',
        field: `/allowedOrigins/${String(index)}`,
      }
  if (!requirePkce && type !== 'web')
    return { message: 'requirePkce: only web applications may go without PKCE', field: '/requirePkce' }
  for (const name of ['launchUrl', 'logoUrl', 'backchannelLogoutUri'] as const) {
    const value = settings[name]
    if (value !== undefined && redirectUriProblem(value, 'web') !== null)
      return { message: `${name}: expected an https address`, field: `/${name}` }
  }
  return null
}

const secretCreated = (applicationId: string, secret: NewSecret, rotation: boolean): ApplicationEvent => ({
  type: 'application.secret_created',
  data: { applicationId, ...secret, rotation },
})

const NO_SECRET = 'Single-page, native and command-line applications have no secret.'

const secretProblem = (
  type: OidcApplicationType,
  secret: NewSecret,
  now: Instant,
): ReturnType<typeof refuse> | null => {
  if (!isConfidential(type)) return refuse('ERR_CONFLICT', NO_SECRET)
  if (secret.expiresAt !== undefined && secret.expiresAt <= now)
    return refuse('ERR_INVALID', 'expiresAt: expected a time in the future', '/expiresAt')
  return null
}

const create = (command: Extract<ApplicationCommand, { type: 'create' }>): Decision<ApplicationEvent> => {
  const { applicationId, applicationType, clientId, builtIn, groupIds, secret } = command
  const all: OidcSettings & ApplicationFields = { ...defaults, ...command.settings }
  const problem = settingsProblem(applicationType, all)
  if (problem !== null) return refuse('ERR_INVALID', problem.message, problem.field)
  if (secret !== undefined && !isConfidential(applicationType)) return refuse('ERR_CONFLICT', NO_SECRET)
  const { name, description, logoUrl, launchUrl, visibleInPortal, ...oidc } = all
  const fields: ApplicationFields = {
    name,
    visibleInPortal,
    ...(description === undefined ? {} : { description }),
    ...(logoUrl === undefined ? {} : { logoUrl }),
    ...(launchUrl === undefined ? {} : { launchUrl }),
  }
  return accept<ApplicationEvent>(
    {
      type: 'application.created',
      data: { applicationId, protocol: 'oidc', applicationType, clientId, builtIn, fields, oidc },
    },
    ...(secret === undefined ? [] : [secretCreated(applicationId, secret, false)]),
    ...[...new Set(groupIds)].map((groupId): ApplicationEvent => ({
      type: 'application.group_assigned',
      data: { applicationId, groupId },
    })),
  )
}

const groupChanges = (
  applicationId: string,
  wanted: readonly string[],
  state: ApplicationState,
): readonly ApplicationEvent[] => [
  ...[...new Set(wanted)]
    .filter((groupId) => !state.groupIds.includes(groupId))
    .map((groupId): ApplicationEvent => ({
      type: 'application.group_assigned',
      data: { applicationId, groupId },
    })),
  ...state.groupIds
    .filter((groupId) => !wanted.includes(groupId))
    .map((groupId): ApplicationEvent => ({
      type: 'application.group_unassigned',
      data: { applicationId, groupId },
    })),
]

const decide = (command: ApplicationCommand, state: ApplicationState): Decision<ApplicationEvent> => {
  const { applicationId } = command
  if (command.type === 'create') return state.status === 'none' ? create(command) : refuse('ERR_CONFLICT')
  if (state.status === 'none' || state.status === 'deleted') return refuse('ERR_NOT_FOUND')

  const liveSecrets = (now: Instant) => state.secrets.filter((s) => s.expiresAt === null || s.expiresAt > now)
  switch (command.type) {
    case 'update': {
      const changes = changesOf(state.settings, command.settings)
      const problem = settingsProblem(state.applicationType, {
        ...defaults,
        ...applyChanges(state.settings, changes),
      })
      if (changes.length > 0 && problem !== null) return refuse('ERR_INVALID', problem.message, problem.field)
      return accept<ApplicationEvent>(
        ...(changes.length === 0
          ? []
          : [{ type: 'application.updated' as const, data: { applicationId, changes } }]),
        ...groupChanges(applicationId, command.groupIds ?? state.groupIds, state),
      )
    }
    case 'set_groups':
      return accept(...groupChanges(applicationId, command.groupIds, state))
    case 'assign_group':
      return state.groupIds.includes(command.groupId)
        ? accept()
        : accept({ type: 'application.group_assigned', data: { applicationId, groupId: command.groupId } })
    case 'unassign_group':
      return state.groupIds.includes(command.groupId)
        ? accept({ type: 'application.group_unassigned', data: { applicationId, groupId: command.groupId } })
        : refuse('ERR_NOT_FOUND')
    case 'set_api_grant':
      return (
        grantProblem(command.grant) ?? accept(...grantEvents(applicationId, [command.grant], state.apiGrants))
      )
    case 'remove_api_grant': {
      const gone = state.apiGrants.filter(({ apiResourceId }) => apiResourceId === command.apiResourceId)
      return gone.length === 0 ? refuse('ERR_NOT_FOUND') : accept(...withdrawnEvents(applicationId, gone))
    }
    case 'set_api_grants': {
      const wanted = new Set(command.grants.map(({ apiResourceId }) => apiResourceId))
      const gone = state.apiGrants.filter(({ apiResourceId }) => !wanted.has(apiResourceId))
      return (
        grantsProblem(command.grants) ??
        accept(
          ...grantEvents(applicationId, command.grants, state.apiGrants),
          ...withdrawnEvents(applicationId, gone),
        )
      )
    }
    case 'create_secret': {
      const problem = secretProblem(state.applicationType, command.secret, command.now)
      if (problem !== null) return problem
      if (liveSecrets(command.now).length >= MAX_ACTIVE_SECRETS)
        return refuse(
          'ERR_CONFLICT',
          `An application has at most ${String(MAX_ACTIVE_SECRETS)} active secrets.`,
        )
      return accept(secretCreated(applicationId, command.secret, false))
    }
    case 'rotate_secret': {
      const problem = secretProblem(state.applicationType, command.secret, command.now)
      if (problem !== null) return problem
      const live = liveSecrets(command.now)
      // With a grace period the newest secret lives on beside the new one; older ones make room.
      const kept = command.oldExpiresAt > command.now ? live.slice(-1) : []
      const gone = live.filter((secret) => !kept.includes(secret))
      return accept<ApplicationEvent>(
        ...gone.map((s): ApplicationEvent => ({
          type: 'application.secret_revoked',
          data: { applicationId, secretId: s.secretId },
        })),
        ...kept
          .filter((s) => s.expiresAt === null || s.expiresAt > command.oldExpiresAt)
          .map((s): ApplicationEvent => ({
            type: 'application.secret_expiry_changed',
            data: { applicationId, secretId: s.secretId, expiresAt: command.oldExpiresAt },
          })),
        secretCreated(applicationId, command.secret, true),
      )
    }
    case 'revoke_secret':
      return state.secrets.some((s) => s.secretId === command.secretId)
        ? accept({ type: 'application.secret_revoked', data: { applicationId, secretId: command.secretId } })
        : refuse('ERR_NOT_FOUND')
    case 'disable':
      if (state.builtIn) return refuse('ERR_BUILT_IN', 'The built-in CLI application cannot be disabled.')
      return state.status === 'disabled'
        ? refuse('ERR_CONFLICT', 'This application is disabled already.')
        : accept({ type: 'application.disabled', data: { applicationId } })
    case 'enable':
      return state.status === 'active'
        ? refuse('ERR_CONFLICT', 'This application is enabled already.')
        : accept({ type: 'application.enabled', data: { applicationId } })
    case 'delete':
      return state.builtIn
        ? refuse('ERR_BUILT_IN')
        : accept({ type: 'application.deleted', data: { applicationId } })
  }
}

export const applicationDecider: Decider<ApplicationState, ApplicationCommand, ApplicationEvent> = {
  initial,
  evolve,
  decide,
}

export const applicationStream = (applicationId: string): string => `application-${applicationId}`
